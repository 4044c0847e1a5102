//! WebGPU where it computes what the processor does, else the CPU.

use std::cell::RefCell;
use std::rc::Rc;

use couplet_engine::{Backend, Engine, EngineError, KernelSet, Pair, Reference};
use couplet_kernels::{Device, DeviceError};
use couplet_protocol::{BackendChoice, BackendKind, DeviceInfo, Settings, Which};

use crate::known_choices::Place;
use crate::scope;
use crate::stillness::Stillness;

/// A GPU that has not answered by then, in milliseconds, is taken for none: drivers can hang.
const GPU_LIMIT_MS: u32 = 20_000;

/// A pair that is not ready on a GPU by then, in milliseconds, is put on the CPU: a driver can hang
/// after it has answered. Software adapters on slow machines are ready far sooner.
const READY_LIMIT_MS: u32 = 120_000;

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
        self.give_up();
        let backend = Backend::gpu().await?;
        self.0.replace(Some(backend.clone()));
        Ok(backend)
    }

    /// Gives the GPU back with everything on it: what follows may find no room beside that. To
    /// whoever still uses it, it is lost.
    pub(crate) fn give_up(&self) {
        let backend = self.0.take();
        if let Some(Device::Gpu(gpu)) = backend.map(|backend| backend.kernels) {
            gpu.destroy();
        }
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
        BackendChoice::Auto => {
            let opened = scope::within(GPU_LIMIT_MS, Gpu::open(pair, connection)).await;
            Some(opened.unwrap_or(Err(DeviceError::NoAnswer)))
        }
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
    stillness: &Stillness,
) -> Result<(Engine, DeviceInfo), EngineError> {
    let mut reason = None;
    let found = match gpu {
        Some(Ok(gpu)) => {
            let ready = on_gpu(pair, gpu, connection, stillness);
            let ready = scope::within(READY_LIMIT_MS, ready).await;
            Some(ready.unwrap_or(Err(DeviceError::NoAnswer.into())))
        }
        Some(Err(error)) => Some(Err(error.into())),
        None => None,
    };
    match found {
        Some(Ok(found)) => return Ok(found),
        Some(Err(error)) => {
            connection.give_up();
            let cause = match error {
                EngineError::Device(DeviceError::NoAdapter) if !scope::is_secure() => {
                    "browsers offer it only to pages over HTTPS and on localhost".to_owned()
                }
                error => error.to_string(),
            };
            reason = Some(format!("WebGPU is not used because {cause}."));
        }
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

/// An engine on the GPU that computes what the processor does with these kernels.
async fn fresh_on_gpu(
    pair: &Rc<Pair>,
    backend: &Backend,
    kernels: KernelSet,
    reference: &Rc<Reference>,
) -> Result<Engine, EngineError> {
    let tried = async {
        let engine = Engine::new(pair.clone(), backend, scope::now).await?;
        engine.use_kernel_set(kernels);
        engine.hold_to(reference).await?;
        Ok(engine)
    };
    scope::patiently(&backend.kernels, tried).await
}

/// The engine with the kernels that are the best for it, held to the processor once more if they
/// are others than before. Where that fails, the kernels with which another may go on.
async fn with_best_kernels(
    engine: Engine,
    reference: &Rc<Reference>,
    stillness: &Stillness,
) -> Result<Engine, KernelSet> {
    let before = engine.kernel_set();
    let chosen = {
        let _held = stillness.hold();
        scope::patiently(engine.device(), engine.choose_kernels()).await
    };
    match chosen {
        Ok(chosen) if chosen == before => Ok(engine),
        Ok(_) => match scope::patiently(engine.device(), engine.hold_to(reference)).await {
            Ok(()) => Ok(engine),
            Err(_) => Err(before),
        },
        Err(_) => Err(engine.kernel_set()),
    }
}

async fn on_gpu(
    pair: &Rc<Pair>,
    gpu: Gpu,
    connection: &Connection,
    stillness: &Stillness,
) -> Result<(Engine, DeviceInfo), EngineError> {
    // It may have gone while the models arrived.
    let backend = if gpu.backend.is_lost() {
        connection.renew().await?
    } else {
        gpu.backend
    };
    let reference = Rc::new(Reference::new(pair, scope::now).await?);
    let known = gpu.known.unwrap_or_default();
    let tried = match fresh_on_gpu(pair, &backend, known, &reference).await {
        // A pair of another release may not offer what was chosen for it.
        Ok(engine) if gpu.known == Some(engine.kernel_set()) => Ok(engine),
        Ok(engine) => {
            let chosen = with_best_kernels(engine, &reference, stillness).await;
            if let Ok(engine) = &chosen {
                gpu.place.keep(engine.kernel_set()).await;
            }
            chosen
        }
        Err(_) => Err(KernelSet::default()),
    };
    let engine = match tried {
        Ok(engine) => engine,
        // Others than the usual kernels can be too much for a GPU, which may be lost by that. Once
        // may be an accident.
        Err(kernels) => {
            let backend = connection.renew().await?;
            let engine = fresh_on_gpu(pair, &backend, kernels, &reference).await?;
            if gpu.place.keep_failure().await {
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
    // The pair's own: not every pair knows how a text begins without one.
    let settings = Settings {
        prompt: engine.pair().card.prompt.clone(),
        ..Settings::default()
    };
    for model in [Which::Draft, Which::Target] {
        let probs = engine.distribution(model, &settings).await?;
        let sum: f32 = probs.iter().sum();
        if (sum - 1.0).abs() < 1e-3 {
            continue;
        }
        let message = format!("a trial pass gave probabilities that sum to {sum}");
        return Err(DeviceError::Refused(message).into());
    }
    Ok(())
}
