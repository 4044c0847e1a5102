//! One interface to a GPU and to the CPU.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::gpu::{GpuBuffer, GpuDevice, GpuProgram};
use crate::{Kernel, cpu};

/// Why a device cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The browser or the system offers no GPU.
    #[error("no GPU is available: {0}")]
    NoAdapter(String),
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
    /// Number of workgroups in x and y.
    pub workgroups: [u32; 2],
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

impl Device {
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
    pub fn program(&self, dispatches: Vec<Dispatch>) -> Program {
        for dispatch in &dispatches {
            debug_assert_eq!(
                dispatch.bindings.len(),
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
            Self::Gpu(gpu) => gpu.submit(&gpu_programs(programs), &[]),
            Self::Cpu => run_twins(programs),
        }
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
        match self {
            Self::Gpu(gpu) => {
                let reads: Vec<(&GpuBuffer, Range<usize>)> = reads
                    .iter()
                    .map(|read| match read.buffer {
                        Buffer::Gpu(buffer) => (buffer, read.words.clone()),
                        Buffer::Cpu(_) => {
                            unreachable!("a buffer is used on the device that made it")
                        }
                    })
                    .collect();
                gpu.run(&gpu_programs(programs), &reads).await
            }
            Self::Cpu => {
                run_twins(programs);
                Ok(reads
                    .iter()
                    .map(|read| match read.buffer {
                        Buffer::Cpu(words) => words.borrow()[read.words.clone()].to_vec(),
                        Buffer::Gpu(_) => {
                            unreachable!("a buffer is used on the device that made it")
                        }
                    })
                    .collect())
            }
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
