//! WebGPU where a small forward pass succeeds, else the CPU.

use std::rc::Rc;

use couplet_engine::{Backend, Engine, EngineError, Pair};
use couplet_kernels::DeviceError;
use couplet_protocol::{BackendChoice, BackendKind, DeviceInfo, Which};

use crate::known_choices::Place;
use crate::scope;

/// The GPU, building the kernels that a round needs; `None` where it is not asked for.
pub(crate) async fn open_gpu(choice: BackendChoice) -> Option<Result<Backend, DeviceError>> {
    match choice {
        BackendChoice::Auto => {
            let gpu = Backend::gpu().await;
            Some(gpu.inspect(Backend::prepare))
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
    gpu: Option<Result<Backend, DeviceError>>,
) -> Result<(Engine, DeviceInfo), EngineError> {
    let mut reason = None;
    let found = match gpu {
        Some(Ok(gpu)) => Some(on_gpu(pair, gpu).await),
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
            variant: String::new(),
            name: "CPU in WebAssembly".to_owned(),
            reason,
        },
    ))
}

/// An engine on the GPU that has passed its trial, with the kernels that ask least of a GPU.
async fn fresh_on_gpu(pair: &Rc<Pair>, backend: Backend) -> Result<Engine, EngineError> {
    let tried = async {
        let engine = Engine::new(pair.clone(), &backend, scope::now).await?;
        try_out(&engine).await?;
        Ok(engine)
    };
    scope::patiently(&backend.kernels, tried).await
}

async fn on_gpu(pair: &Rc<Pair>, gpu: Backend) -> Result<(Engine, DeviceInfo), EngineError> {
    // It may have gone while the models arrived.
    let gpu = if gpu.is_lost() {
        Backend::gpu().await?
    } else {
        gpu
    };
    let mut engine = fresh_on_gpu(pair, gpu).await?;
    let name = match scope::gpu_name().await {
        name if name.is_empty() => "WebGPU".to_owned(),
        name => format!("WebGPU, {name}"),
    };
    let place = Place::new(&pair.card.name, &name);
    let known = place.known().await;
    let chosen = match known {
        Some(kernels) => {
            engine.use_kernel_set(kernels);
            let tried = scope::patiently(engine.device(), try_out(&engine)).await;
            tried.map(|()| kernels)
        }
        None => scope::patiently(engine.device(), engine.choose_kernels()).await,
    };
    let kernels = match chosen {
        Ok(kernels) => kernels,
        // Others than the usual kernels can be too much for a GPU; those have passed already.
        Err(_) => {
            engine = fresh_on_gpu(pair, Backend::gpu().await?).await?;
            engine.kernel_set()
        }
    };
    if known != Some(kernels) {
        place.keep(kernels).await;
    }
    Ok((
        engine,
        DeviceInfo {
            backend: BackendKind::Gpu,
            variant: kernels.name().to_owned(),
            name,
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
