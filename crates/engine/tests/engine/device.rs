//! What a device has to compute before a pair is written with on it, and which kernels it goes on
//! with.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::common::{
    backends, clock, files_of, louder, shipped, shipped_pair, tiny, tiny_files, tiny_timed,
};
use couplet_engine::{Backend, Engine, EngineError, KernelSet, Pair, Reference};
use couplet_kernels::{Device, DeviceError, GpuDevice};
use couplet_protocol::{Drafter, Rule, Settings};

fn reference(pair: &Rc<Pair>) -> Rc<Reference> {
    let reference = pollster::block_on(Reference::new(pair, clock));
    Rc::new(reference.expect("the processor takes the pair"))
}

/// Holds an engine to what the processor computes: both models, and every rule under each drafter.
fn hold(engine: &Engine, reference: &Rc<Reference>) -> Result<(), EngineError> {
    pollster::block_on(engine.hold_to(reference))?;
    for rule in Rule::ALL {
        for drafter in Drafter::ALL {
            let settings = Settings {
                rule,
                drafter,
                ..Settings::default()
            };
            pollster::block_on(engine.hold_run(&settings))?;
        }
    }
    Ok(())
}

#[test]
fn a_device_that_computes_what_the_processor_does_is_accepted() {
    for (name, backend) in backends() {
        let stories = shipped_pair(&backend, "stories");
        for engine in [tiny(&backend, 8), shipped(&backend), stories] {
            let reference = reference(engine.pair());
            for kernels in KernelSet::ALL {
                engine.use_kernel_set(kernels);
                hold(&engine, &reference)
                    .unwrap_or_else(|error| panic!("{name}, {kernels:?}: {error}"));
            }
        }
    }
}

/// What is drawn on the way must not hang on the last places, which every GPU has its own way with.
#[test]
fn a_device_that_rounds_otherwise_is_accepted() {
    let backend = Backend::cpu();
    for name in ["shakespeare", "stories"] {
        let pair = || Pair::new(files_of(name)).expect("the shipped pair is sound");
        let reference = reference(&Rc::new(pair()));
        for factor in [1.0 - 2e-6, 1.0 + 2e-6] {
            let mut pair = pair();
            pair.draft = louder(pair.draft, factor);
            pair.target = louder(pair.target, factor);
            let engine = Engine::new(Rc::new(pair), &backend, clock);
            let engine = pollster::block_on(engine).expect("the processor takes the pair");
            hold(&engine, &reference).unwrap_or_else(|error| panic!("{name}, {factor}: {error}"));
        }
    }
}

/// Every matrix a hundredth larger: what comes out are probabilities all the same.
#[test]
fn a_device_with_other_logits_than_the_processors_is_refused() {
    let pair = || Pair::new(tiny_files(8)).expect("the tiny pair is sound");
    let reference = reference(&Rc::new(pair()));
    let off = |decoder| louder(decoder, 1.01);
    let (mut draft, mut target) = (pair(), pair());
    draft.draft = off(draft.draft);
    target.target = off(target.target);
    let pairs = [Rc::new(draft), Rc::new(target)];
    for (name, backend) in backends() {
        for pair in &pairs {
            let engine = Engine::new(pair.clone(), &backend, clock);
            let engine = pollster::block_on(engine).expect("the device takes the pair");
            let error = pollster::block_on(engine.hold_to(&reference)).expect_err(name);
            assert!(
                matches!(error, EngineError::Device(DeviceError::Differs)),
                "{name}: {error}"
            );
            assert_eq!(
                error.failure().sentence,
                "The GPU computes something else than the processor."
            );
        }
    }
}

/// A set that is found to depend on company is passed over, so a trial that finds that where it is
/// not so would go unnoticed.
#[test]
fn the_trial_finds_rows_the_same_alone_and_in_company() {
    for (name, backend) in backends() {
        for engine in [tiny(&backend, 8), shipped(&backend)] {
            for kernels in KernelSet::ALL {
                engine.use_kernel_set(kernels);
                let same = pollster::block_on(engine.rows_are_the_same_in_company()).unwrap();
                assert!(same, "{name}, {kernels:?}");
            }
        }
    }
}

thread_local! {
    static LOOKS: Cell<u32> = const { Cell::new(0) };
    /// At which look the GPU goes.
    static LAST_LOOK: RefCell<Option<(u32, GpuDevice)>> = const { RefCell::new(None) };
}

/// A clock on which every time is shorter than those before: each set is the quickest so far.
fn quickening() -> f64 {
    let looks = LOOKS.get() + 1;
    LOOKS.set(looks);
    LAST_LOOK.with_borrow(|last| {
        if let Some((look, gpu)) = last
            && *look == looks
        {
            gpu.destroy();
        }
    });
    (1..=looks).map(|look| 1e4 / f64::from(look)).sum()
}

#[test]
fn a_gpu_that_the_last_set_takes_along_leaves_the_best_of_those_before() {
    let Some((_, backend)) = backends().into_iter().find(|(name, _)| *name == "GPU") else {
        return;
    };
    let engine = |backend: &Backend| tiny_timed(backend, 8, quickening);
    let whole = engine(&backend);
    let chosen = pollster::block_on(whole.choose_kernels()).expect("the device works");
    assert_eq!(chosen, KernelSet::BlockAtOnce);

    let Device::Gpu(gpu) = backend.kernels.clone() else {
        unreachable!()
    };
    // Before the last two times are taken.
    let last = LOOKS.replace(0) - 4;
    LAST_LOOK.set(Some((last, gpu)));
    let cut = engine(&backend);
    pollster::block_on(cut.choose_kernels()).expect_err("the GPU is gone");
    LAST_LOOK.take();
    assert_eq!(cut.kernel_set(), KernelSet::Together);
}
