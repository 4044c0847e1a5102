//! WebGPU where a small forward pass succeeds, else the CPU.

use std::cell::RefCell;
use std::rc::Rc;

use couplet_engine::{Backend, Engine, EngineError, KernelSet, Pair};
use couplet_kernels::DeviceError;
use couplet_protocol::{BackendChoice, BackendKind, DeviceInfo, Which};

use crate::known_choices::Place;
use crate::scope;

/// The GPU, as long as it works: burn keeps whatever it is given for good, so that another connection
/// for every pair would fill the memory, and each would have every kernel compiled anew.
#[derive(Default)]
pub(crate) struct Connection(RefCell<Option<Backend>>);

impl Connection {
    async fn get(&self) -> Result<Backend, DeviceError> {
        let known = self.0.borrow().clone();
        match known.filter(|backend| !backend.is_lost()) {
            Some(backend) => Ok(backend),
            None => self.renew().await,
        }
    }

    async fn renew(&self) -> Result<Backend, DeviceError> {
        let backend = Backend::gpu().await?;
        self.0.replace(Some(backend.clone()));
        Ok(backend)
    }
}

/// A GPU that builds the kernels of a round.
pub(crate) struct Gpu {
    backend: Backend,
    name: String,
    /// Where the choice of kernels is kept for a pair on it, and what was chosen earlier.
    place: Place,
    known: Option<KernelSet>,
}

impl Gpu {
    async fn open(pair: &str, connection: &Connection) -> Result<Self, DeviceError> {
        let backend = connection.get().await?;
        let name = match scope::gpu_name().await {
            name if name.is_empty() => "WebGPU".to_owned(),
            name => format!("WebGPU, {name}"),
        };
        let place = Place::new(pair, &name);
        let known = place.known().await;
        backend.prepare(known.unwrap_or_default());
        Ok(Self {
            backend,
            name,
            place,
            known,
        })
    }
}

/// The GPU for a pair of this name; `None` where it is not asked for.
pub(crate) async fn open_gpu(
    choice: BackendChoice,
    pair: &str,
    connection: &Connection,
) -> Option<Result<Gpu, DeviceError>> {
    match choice {
        BackendChoice::Auto => Some(Gpu::open(pair, connection).await),
        BackendChoice::Cpu => None,
    }
}

/// Puts a pair on the highest rung that works: on the GPU, where there is one, else the CPU.
///
/// # Errors
///
/// If not even the CPU works.
pub(crate) async fn climb(
    pair: &Rc<Pair>,
    gpu: Option<Result<Gpu, DeviceError>>,
    connection: &Connection,
) -> Result<(Engine, DeviceInfo), EngineError> {
    let mut reason = None;
    let found = match gpu {
        Some(Ok(gpu)) => Some(on_gpu(pair, gpu, connection).await),
        Some(Err(error)) => Some(Err(error.into())),
        None => None,
    };
    match found {
        Some(Ok(found)) => return Ok(found),
        Some(Err(error)) => reason = Some(format!("WebGPU is not used because {error}.")),
        None => {}
    }
    let engine = Engine::new(pair.clone(), &Backend::cpu(), scope::now).await?;
    try_out(&engine).await?;
    Ok((
        engine,
        DeviceInfo {
            backend: BackendKind::Cpu,
            variant: couplet_engine::cpu_variant().to_owned(),
            name: "CPU in WebAssembly".to_owned(),
            reason,
        },
    ))
}

/// An engine on the GPU that has passed its trial with these kernels.
async fn fresh_on_gpu(
    pair: &Rc<Pair>,
    backend: &Backend,
    kernels: KernelSet,
) -> Result<Engine, EngineError> {
    let tried = async {
        let engine = Engine::new(pair.clone(), backend, scope::now).await?;
        engine.use_kernel_set(kernels);
        try_out(&engine).await?;
        Ok(engine)
    };
    scope::patiently(&backend.kernels, tried).await
}

async fn on_gpu(
    pair: &Rc<Pair>,
    gpu: Gpu,
    connection: &Connection,
) -> Result<(Engine, DeviceInfo), EngineError> {
    // It may have gone while the models arrived.
    let backend = if gpu.backend.is_lost() {
        connection.renew().await?
    } else {
        gpu.backend
    };
    let tried = async {
        let engine = fresh_on_gpu(pair, &backend, gpu.known.unwrap_or_default()).await?;
        // A pair of another release may not offer what was chosen for it.
        if gpu.known != Some(engine.kernel_set()) {
            let chosen = scope::patiently(engine.device(), engine.choose_kernels()).await?;
            gpu.place.keep(chosen).await;
        }
        Ok::<_, EngineError>(engine)
    };
    let engine = match tried.await {
        Ok(engine) => engine,
        // Others than the usual kernels can be too much for a GPU, which may be lost by that. Once
        // may be an accident.
        Err(_) => {
            let backend = connection.renew().await?;
            let engine = fresh_on_gpu(pair, &backend, KernelSet::default()).await?;
            if gpu.place.failed_before().await {
                gpu.place.keep(engine.kernel_set()).await;
            }
            engine
        }
    };
    let kernels = engine.kernel_set();
    Ok((
        engine,
        DeviceInfo {
            backend: BackendKind::Gpu,
            variant: kernels.name().to_owned(),
            name: gpu.name,
            reason: None,
        },
    ))
}

/// A forward pass of both models must give probabilities.
async fn try_out(engine: &Engine) -> Result<(), EngineError> {
    for model in [Which::Draft, Which::Target] {
        let probs = engine.distribution(model, "").await?;
        let sum: f32 = probs.iter().sum();
        if !((sum - 1.0).abs() < 1e-3) {
            let message = format!("a trial pass gave probabilities that sum to {sum}");
            return Err(DeviceError::Refused(message).into());
        }
    }
    Ok(())
}
