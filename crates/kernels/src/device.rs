//! One interface to a GPU and to the CPU.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::gpu::{GpuBuffer, GpuDevice, GpuProgram, GpuReadback, GpuStep};
use crate::{Kernel, cpu};

/// Why a device cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The browser or the system offers no GPU.
    #[error(
        "no GPU is offered here; a browser's settings may have graphics acceleration switched off"
    )]
    NoAdapter,
    /// The GPU gives no access to itself.
    #[error("no GPU is available: {0}")]
    NoDevice(String),
    /// The GPU was asked for and nothing came.
    #[error("the GPU did not answer")]
    NoAnswer,
    /// The GPU lacks something the kernels need.
    #[error("this GPU allows {found} {limit}, but {needed} are needed")]
    Limit {
        /// Name of the limit.
        limit: &'static str,
        /// What the kernels need.
        needed: u64,
        /// What the GPU has.
        found: u64,
    },
    /// The GPU went away: unplugged, reset, or claimed by another program.
    #[error("the GPU was lost: {0}")]
    Lost(String),
    /// The GPU refused a command.
    #[error("the GPU refused a command: {0}")]
    Refused(String),
    /// The GPU computes something else than the CPU.
    #[error("the GPU computes something else than the processor")]
    Differs,
}

/// Where kernels run.
#[derive(Clone, Debug)]
pub enum Device {
    /// WGSL kernels.
    Gpu(GpuDevice),
    /// Their twins in Rust.
    Cpu,
}

/// 32-bit words that kernels read and write. Clones share the words.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// On the GPU.
    Gpu(GpuBuffer),
    /// In memory.
    Cpu(Rc<RefCell<Vec<u32>>>),
}

impl Buffer {
    /// Gives the memory of a buffer back that a device has made and that is used no more, by this or
    /// any clone: a browser keeps what is merely dropped until it collects its garbage.
    pub fn free(&self) {
        match self {
            Self::Gpu(buffer) => buffer.free(),
            Self::Cpu(_) => {}
        }
    }

    /// Length in words.
    pub fn words(&self) -> usize {
        match self {
            Self::Gpu(buffer) => buffer.words(),
            Self::Cpu(words) => words.borrow().len(),
        }
    }
}

/// One run of one kernel.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel.
    pub kernel: Kernel,
    /// Its buffers, in the order of its bindings.
    pub bindings: Vec<Buffer>,
    /// Which of the kernel's [texts](Kernel::sources) runs: as [`Kernel::rows_together`] says, 1
    /// where there is only one.
    pub rows_together: u32,
    /// Number of workgroups in x and y.
    pub workgroups: [u32; 2],
}

impl Dispatch {
    /// Gives the memory of its uniform block back, its first binding, once it has been submitted for
    /// the last time, and so has every other dispatch that has the same block.
    pub fn free_block(&self) {
        if let Some(block) = self.bindings.first() {
            block.free();
        }
    }
}

/// Dispatches prepared to be run many times.
#[derive(Debug)]
pub struct Program {
    kind: ProgramKind,
    dispatches: usize,
}

#[derive(Debug)]
enum ProgramKind {
    Gpu(GpuProgram),
    Cpu(Vec<Dispatch>),
}

impl Program {
    /// Number of dispatches.
    pub fn dispatches(&self) -> usize {
        self.dispatches
    }
}

/// A range of words to be read back.
#[derive(Clone, Debug)]
pub struct Read<'a> {
    /// Where.
    pub buffer: &'a Buffer,
    /// Which words.
    pub words: Range<usize>,
}

/// Programs, and what of their results is read back before later ones overwrite it.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Run one after the other.
    pub programs: &'a [&'a Program],
    /// Copied once they are done.
    pub reads: &'a [Read<'a>],
}

/// Words on their way back.
#[derive(Debug)]
pub struct Readback(ReadbackKind);

#[derive(Debug)]
enum ReadbackKind {
    Gpu(GpuReadback),
    Cpu(Vec<Vec<Vec<u32>>>),
}

impl Readback {
    /// Waits for the words: by step, then in the order of its reads.
    ///
    /// # Errors
    ///
    /// If the GPU is lost or refuses.
    pub async fn finish(self) -> Result<Vec<Vec<Vec<u32>>>, DeviceError> {
        match self.0 {
            ReadbackKind::Gpu(readback) => readback.finish().await,
            ReadbackKind::Cpu(words) => Ok(words),
        }
    }
}

impl Device {
    /// Whether this is a GPU that is of no more use.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Gpu(gpu) => gpu.trouble().is_some(),
            Self::Cpu => false,
        }
    }

    /// The same device for work that goes on beside other work: what is read back does not mix.
    pub fn beside(&self) -> Self {
        match self {
            Self::Gpu(gpu) => Self::Gpu(gpu.beside()),
            Self::Cpu => Self::Cpu,
        }
    }

    /// A buffer of zeros.
    pub fn zeros(&self, words: usize) -> Buffer {
        self.buffer(&vec![0; words])
    }

    /// A storage buffer with content.
    pub fn buffer(&self, words: &[u32]) -> Buffer {
        match self {
            Self::Gpu(gpu) => Buffer::Gpu(gpu.buffer(words, false)),
            Self::Cpu => Buffer::Cpu(Rc::new(RefCell::new(words.to_vec()))),
        }
    }

    /// A storage buffer of numbers.
    pub fn floats(&self, numbers: &[f32]) -> Buffer {
        self.buffer(bytemuck::cast_slice(numbers))
    }

    /// A uniform block.
    pub fn uniform<T: bytemuck::Pod>(&self, value: &T) -> Buffer {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytemuck::bytes_of(value));
        match self {
            Self::Gpu(gpu) => Buffer::Gpu(gpu.buffer(&words, true)),
            Self::Cpu => Buffer::Cpu(Rc::new(RefCell::new(words))),
        }
    }

    /// Overwrites words of a buffer, before everything submitted later.
    ///
    /// # Panics
    /// When the buffer is another device's, or on the CPU too short.
    pub fn write(&self, buffer: &Buffer, start: usize, words: &[u32]) {
        match (self, buffer) {
            (Self::Gpu(gpu), Buffer::Gpu(buffer)) => gpu.write(buffer, start, words),
            (Self::Cpu, Buffer::Cpu(content)) => {
                content.borrow_mut()[start..start + words.len()].copy_from_slice(words);
            }
            _ => unreachable!("a buffer is used on the device that made it"),
        }
    }

    /// Prepares dispatches.
    ///
    /// # Panics
    /// When a dispatch has another number of bindings than its kernel, or buffers of another device.
    pub fn program(&self, dispatches: Vec<Dispatch>) -> Program {
        for dispatch in &dispatches {
            let without_gains = matches!(self, Self::Cpu) && dispatch.kernel.reads_halves();
            assert_eq!(
                dispatch.bindings.len() + usize::from(without_gains),
                dispatch.kernel.bindings().len(),
                "{}",
                dispatch.kernel.name()
            );
        }
        let count = dispatches.len();
        let kind = match self {
            Self::Gpu(gpu) => ProgramKind::Gpu(gpu.program(&dispatches)),
            Self::Cpu => ProgramKind::Cpu(dispatches),
        };
        Program {
            kind,
            dispatches: count,
        }
    }

    /// Runs programs one after the other without waiting for the GPU.
    pub fn submit(&self, programs: &[&Program]) {
        match self {
            Self::Gpu(gpu) => gpu.submit(&[(gpu_programs(programs), Vec::new())]),
            Self::Cpu => run_twins(programs),
        }
    }

    /// Runs dispatches this one time without waiting for the GPU, and frees their uniform blocks.
    pub fn submit_once(&self, dispatches: Vec<Dispatch>) {
        self.submit(&[&self.program(dispatches.clone())]);
        dispatches.iter().for_each(Dispatch::free_block);
    }

    /// Runs dispatches this one time, frees their uniform blocks and reads ranges back.
    ///
    /// # Errors
    ///
    /// If the GPU is lost or refuses.
    pub async fn run_once(
        &self,
        dispatches: Vec<Dispatch>,
        reads: &[Read<'_>],
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let program = self.program(dispatches.clone());
        let programs = [&program];
        let readback = self.begin(&[Step {
            programs: &programs,
            reads,
        }])?;
        dispatches.iter().for_each(Dispatch::free_block);
        let mut words = readback.finish().await?;
        Ok(words.pop().unwrap_or_default())
    }

    /// Runs programs one after the other and reads ranges back: on a GPU one submission and one
    /// mapping, whatever their number.
    ///
    /// # Errors
    ///
    /// If the GPU is lost or refuses.
    pub async fn run(
        &self,
        programs: &[&Program],
        reads: &[Read<'_>],
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let mut words = self.begin(&[Step { programs, reads }])?.finish().await?;
        Ok(words.pop().unwrap_or_default())
    }

    /// Runs steps one after the other, without waiting for the GPU: on a GPU one submission, and
    /// one mapping for all that they read. Several may be under way.
    ///
    /// # Errors
    ///
    /// If the GPU is known to be lost.
    pub fn begin(&self, steps: &[Step<'_>]) -> Result<Readback, DeviceError> {
        let kind = match self {
            Self::Gpu(gpu) => {
                let steps: Vec<GpuStep<'_>> = steps
                    .iter()
                    .map(|step| {
                        let reads = step.reads.iter().map(|read| match read.buffer {
                            Buffer::Gpu(buffer) => (buffer, read.words.clone()),
                            Buffer::Cpu(_) => {
                                unreachable!("a buffer is used on the device that made it")
                            }
                        });
                        (gpu_programs(step.programs), reads.collect())
                    })
                    .collect();
                ReadbackKind::Gpu(gpu.begin(&steps)?)
            }
            Self::Cpu => ReadbackKind::Cpu(
                steps
                    .iter()
                    .map(|step| {
                        run_twins(step.programs);
                        step.reads.iter().map(read_memory).collect()
                    })
                    .collect(),
            ),
        };
        Ok(Readback(kind))
    }

    /// Milliseconds of each program by the GPU's own clock, run so many times in a pass of its
    /// own; `None` where there is no such clock.
    ///
    /// # Errors
    ///
    /// If the GPU is lost or refuses.
    pub async fn pass_times(
        &self,
        programs: &[(&Program, usize)],
    ) -> Result<Option<Vec<f64>>, DeviceError> {
        match self {
            Self::Gpu(gpu) => {
                let (programs, repeats): (Vec<&Program>, Vec<usize>) =
                    programs.iter().copied().unzip();
                let programs: Vec<_> = gpu_programs(&programs).into_iter().zip(repeats).collect();
                gpu.pass_times(&programs).await
            }
            Self::Cpu => Ok(None),
        }
    }

    /// Has the browser look whether a readback is there, where it has been under way since the
    /// last call: Firefox looks by itself only every tenth of a second, and at every submission.
    pub fn nudge(&self) {
        if let Self::Gpu(gpu) = self {
            gpu.nudge();
        }
    }

    /// Readbacks so far: buffers mapped on the GPU, 0 on the CPU.
    pub fn readbacks(&self) -> usize {
        match self {
            Self::Gpu(gpu) => gpu.readbacks(),
            Self::Cpu => 0,
        }
    }
}

fn gpu_programs<'a>(programs: &[&'a Program]) -> Vec<&'a GpuProgram> {
    programs
        .iter()
        .map(|program| match &program.kind {
            ProgramKind::Gpu(program) => program,
            ProgramKind::Cpu(_) => unreachable!("a program is run on the device that made it"),
        })
        .collect()
}

fn read_memory(read: &Read<'_>) -> Vec<u32> {
    match read.buffer {
        Buffer::Cpu(words) => words.borrow()[read.words.clone()].to_vec(),
        Buffer::Gpu(_) => unreachable!("a buffer is used on the device that made it"),
    }
}

fn run_twins(programs: &[&Program]) {
    for program in programs {
        let ProgramKind::Cpu(dispatches) = &program.kind else {
            unreachable!("a program is run on the device that made it")
        };
        for dispatch in dispatches {
            cpu::run(dispatch);
        }
    }
}
