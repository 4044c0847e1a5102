//! Kernels on a wgpu device that burn shares.

mod timestamps;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use futures_channel::oneshot;

use crate::{BindingKind, Buffer, DeviceError, Dispatch, Kernel};

/// The wgpu handles, to be shared with burn.
#[derive(Clone, Debug)]
pub struct GpuSetup {
    /// The instance.
    pub instance: wgpu::Instance,
    /// The physical device.
    pub adapter: wgpu::Adapter,
    /// The logical device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
}

/// A GPU with the pipelines of the kernels used so far.
#[derive(Clone, Debug)]
pub struct GpuDevice {
    setup: GpuSetup,
    trouble: Arc<Mutex<Option<DeviceError>>>,
    /// By kernel and the rows that an invocation computes together.
    pipelines: Rc<RefCell<HashMap<(Kernel, u32), wgpu::ComputePipeline>>>,
    /// Staging buffers that no readback uses.
    staging: Rc<Staging>,
    readbacks: Rc<Cell<usize>>,
    waiting: Rc<Waiting>,
}

#[derive(Debug, Default)]
struct Staging(RefCell<Vec<wgpu::Buffer>>);

impl Drop for Staging {
    fn drop(&mut self) {
        // A browser keeps what is merely dropped until it collects its garbage.
        self.0.borrow().iter().for_each(wgpu::Buffer::destroy);
    }
}

/// The readbacks under way on a GPU.
#[derive(Debug, Default)]
struct Waiting {
    count: Cell<usize>,
    /// How many there had been in all at the last nudge.
    nudged_at: Cell<usize>,
}

/// A range of a GPU buffer.
#[derive(Clone, Debug)]
pub struct GpuBuffer {
    buffer: wgpu::Buffer,
    /// In bytes.
    offset: u64,
    /// In bytes.
    size: u64,
}

impl GpuBuffer {
    /// A range of a buffer that somebody else owns and keeps alive; offset and size in bytes.
    pub fn borrowed(buffer: wgpu::Buffer, offset: u64, size: u64) -> Self {
        Self {
            buffer,
            offset,
            size,
        }
    }

    pub(crate) fn words(&self) -> usize {
        (self.size / 4) as usize
    }

    pub(crate) fn free(&self) {
        self.buffer.destroy();
    }

    fn binding(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: self.offset,
            size: wgpu::BufferSize::new(self.size),
        })
    }
}

/// Pipelines and bind groups in the order of their dispatches.
#[derive(Debug)]
pub(crate) struct GpuProgram {
    dispatches: Vec<(wgpu::ComputePipeline, wgpu::BindGroup, [u32; 2])>,
}

impl GpuProgram {
    fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for (pipeline, group, workgroups) in &self.dispatches {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(workgroups[0], workgroups[1], 1);
        }
    }
}

/// The most storage buffers that a kernel binds.
fn most_storage_buffers() -> u64 {
    let of_kernel = |kernel: &Kernel| {
        let bindings = kernel.bindings().iter();
        bindings
            .filter(|kind| !matches!(kind, BindingKind::Uniform))
            .count()
    };
    Kernel::ALL.iter().map(of_kernel).max().unwrap_or(0) as u64
}

/// The most invocations that a workgroup has, but for [`Kernel::DraftBlock`], which nobody has to
/// [have room for](GpuDevice::has_room_for).
fn most_invocations() -> u64 {
    let needed = Kernel::ALL
        .iter()
        .filter(|kernel| **kernel != Kernel::DraftBlock);
    let invocations = needed.map(|kernel| kernel.invocations());
    u64::from(invocations.max().unwrap_or(0))
}

impl GpuDevice {
    /// Asks for the fastest GPU.
    ///
    /// # Errors
    ///
    /// If there is none, it is refused, or it lacks a limit that the kernels need.
    pub async fn new() -> Result<Self, DeviceError> {
        let backends = if cfg!(target_family = "wasm") {
            wgpu::Backends::BROWSER_WEBGPU
        } else {
            wgpu::Backends::PRIMARY
        };
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = backends;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                ..Default::default()
            })
            .await
            .map_err(|_| DeviceError::NoAdapter)?;
        let limits = adapter.limits();
        let needs: [(&'static str, u64, u64); 3] = [
            (
                "storage buffers per shader",
                most_storage_buffers(),
                u64::from(limits.max_storage_buffers_per_shader_stage),
            ),
            (
                "invocations per workgroup",
                most_invocations(),
                u64::from(limits.max_compute_invocations_per_workgroup),
            ),
            (
                "bytes of storage binding",
                64 << 20,
                limits.max_storage_buffer_binding_size,
            ),
        ];
        for (limit, needed, found) in needs {
            if found < needed {
                return Err(DeviceError::Limit {
                    limit,
                    needed,
                    found,
                });
            }
        }
        // Burn's own kernels ask for what the adapter has; so does the shared device. Some of them count in 64
        // bits, which browsers do not have.
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("couplet"),
                required_features: adapter.features()
                    & (wgpu::Features::SUBGROUP
                        | wgpu::Features::TIMESTAMP_QUERY
                        | wgpu::Features::SHADER_INT64),
                required_limits: limits,
                ..Default::default()
            })
            .await
            .map_err(|error| DeviceError::NoDevice(error.to_string()))?;
        Ok(Self::from_setup(GpuSetup {
            instance,
            adapter,
            device,
            queue,
        }))
    }

    fn from_setup(setup: GpuSetup) -> Self {
        let gpu = Self {
            setup,
            trouble: Arc::new(Mutex::new(None)),
            pipelines: Rc::default(),
            staging: Rc::default(),
            readbacks: Rc::default(),
            waiting: Rc::default(),
        };
        gpu.watch();
        gpu
    }

    /// Has the device's troubles noted here. Whoever else watches it hears of no refused command
    /// from now on, and natively of no loss: a device has one ear for each. In a browser its loss
    /// is a promise, which everybody hears who has ever asked.
    pub fn watch(&self) {
        let note = |trouble: &Arc<Mutex<Option<DeviceError>>>, error| {
            if let Ok(mut trouble) = trouble.lock() {
                trouble.get_or_insert(error);
            }
        };
        let seen = self.trouble.clone();
        self.setup
            .device
            .set_device_lost_callback(move |reason, message| {
                let message = if message.is_empty() {
                    format!("{reason:?}")
                } else {
                    // Browsers say it in a sentence; here it becomes a part of one.
                    message.trim_end_matches('.').to_owned()
                };
                note(&seen, DeviceError::Lost(message));
            });
        let seen = self.trouble.clone();
        self.setup
            .device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                note(&seen, DeviceError::Refused(error.to_string()));
            }));
    }

    /// The same GPU with staging buffers of its own.
    pub(crate) fn beside(&self) -> Self {
        Self {
            staging: Rc::default(),
            readbacks: Rc::default(),
            waiting: Rc::default(),
            ..self.clone()
        }
    }

    /// The wgpu handles.
    pub fn setup(&self) -> &GpuSetup {
        &self.setup
    }

    /// Whether a workgroup may be as large as the kernel's. WebGPU promises 256 invocations, other
    /// interfaces do not.
    pub fn has_room_for(&self, kernel: Kernel) -> bool {
        let limits = self.setup.device.limits();
        kernel.invocations() <= limits.max_compute_invocations_per_workgroup
    }

    /// What went wrong so far, if anything did.
    pub fn trouble(&self) -> Option<DeviceError> {
        self.trouble.lock().ok().and_then(|trouble| trouble.clone())
    }

    /// Gives the device up on purpose, with all its memory, as a driver reset would: before another
    /// is asked for, and for tests of what happens then.
    pub fn destroy(&self) {
        self.setup.device.destroy();
    }

    pub(crate) fn readbacks(&self) -> usize {
        self.readbacks.get()
    }

    pub(crate) fn buffer(&self, words: &[u32], uniform: bool) -> GpuBuffer {
        let size = (words.len().max(4) * 4).next_multiple_of(16) as u64;
        let kind = if uniform {
            wgpu::BufferUsages::UNIFORM
        } else {
            wgpu::BufferUsages::STORAGE
        };
        let buffer = self.setup.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let buffer = GpuBuffer {
            buffer,
            offset: 0,
            size,
        };
        self.write(&buffer, 0, words);
        buffer
    }

    pub(crate) fn write(&self, buffer: &GpuBuffer, start: usize, words: &[u32]) {
        let offset = buffer.offset + 4 * start as u64;
        self.setup
            .queue
            .write_buffer(&buffer.buffer, offset, bytemuck::cast_slice(words));
    }

    /// Has pipelines built before they are needed, for passes of so many rows; a browser does so
    /// beside other work.
    pub fn prepare(&self, kernels: &[Kernel], rows: &[u32]) {
        for kernel in kernels {
            for rows in rows {
                self.pipeline(*kernel, kernel.rows_together(*rows));
            }
        }
    }

    fn pipeline(&self, kernel: Kernel, rows_together: u32) -> wgpu::ComputePipeline {
        let key = (kernel, rows_together);
        if let Some(pipeline) = self.pipelines.borrow().get(&key) {
            return pipeline.clone();
        }
        let device = &self.setup.device;
        let source = kernel.sources()[rows_together as usize - 1];
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name()),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let entries: Vec<wgpu::BindGroupLayoutEntry> = kernel
            .bindings()
            .iter()
            .enumerate()
            .map(|(binding, kind)| wgpu::BindGroupLayoutEntry {
                binding: binding as u32,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match kind {
                        BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
                        BindingKind::ReadOnly => {
                            wgpu::BufferBindingType::Storage { read_only: true }
                        }
                        BindingKind::ReadWrite => {
                            wgpu::BufferBindingType::Storage { read_only: false }
                        }
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(kernel.name()),
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kernel.name()),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name()),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        self.pipelines.borrow_mut().insert(key, pipeline.clone());
        pipeline
    }

    pub(crate) fn program(&self, dispatches: &[Dispatch]) -> GpuProgram {
        let prepare = |dispatch: &Dispatch| {
            let pipeline = self.pipeline(dispatch.kernel, dispatch.rows_together);
            let entries: Vec<wgpu::BindGroupEntry> = dispatch
                .bindings
                .iter()
                .enumerate()
                .map(|(binding, buffer)| match buffer {
                    Buffer::Gpu(buffer) => wgpu::BindGroupEntry {
                        binding: binding as u32,
                        resource: buffer.binding(),
                    },
                    Buffer::Cpu(_) => unreachable!("a buffer is used on the device that made it"),
                })
                .collect();
            let group = self
                .setup
                .device
                .create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some(dispatch.kernel.name()),
                    layout: &pipeline.get_bind_group_layout(0),
                    entries: &entries,
                });
            (pipeline, group, dispatch.workgroups)
        };
        GpuProgram {
            dispatches: dispatches.iter().map(prepare).collect(),
        }
    }

    /// Submits steps whose results nobody waits for.
    pub(crate) fn submit(&self, steps: &[GpuStep<'_>]) {
        self.encode(steps, None);
    }

    /// Encodes every step as a compute pass, then the copies of what it reads into the staging
    /// buffer, and submits them together.
    fn encode(
        &self,
        steps: &[GpuStep<'_>],
        staging: Option<&wgpu::Buffer>,
    ) -> wgpu::SubmissionIndex {
        let mut encoder = self
            .setup
            .device
            .create_command_encoder(&Default::default());
        let mut end = 0;
        for (programs, reads) in steps {
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                for program in programs {
                    program.encode(&mut pass);
                }
            }
            for (source, words) in reads {
                let start = source.offset + 4 * words.start as u64;
                let size = 4 * words.len() as u64;
                if let Some(staging) = staging.filter(|_| size > 0) {
                    encoder.copy_buffer_to_buffer(&source.buffer, start, staging, end, size);
                }
                end += size;
            }
        }
        self.setup.queue.submit([encoder.finish()])
    }

    /// Submits steps and asks for what they read.
    pub(crate) fn begin(&self, steps: &[GpuStep<'_>]) -> Result<GpuReadback, DeviceError> {
        if let Some(trouble) = self.trouble() {
            return Err(trouble);
        }
        let lengths: Vec<Vec<usize>> = steps
            .iter()
            .map(|(_, reads)| reads.iter().map(|(_, words)| words.len()).collect())
            .collect();
        let bytes = 4 * lengths.iter().flatten().sum::<usize>() as u64;
        if bytes == 0 {
            self.encode(steps, None);
            return Ok(GpuReadback {
                gpu: self.clone(),
                lengths,
                mapping: None,
            });
        }
        let staging = self.staging(bytes);
        let submission = self.encode(steps, Some(&staging));
        let (sender, receiver) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, 0..bytes, move |result| {
            // The receiver is gone only when nobody waits any more.
            sender.send(result).ok();
        });
        self.readbacks.set(self.readbacks.get() + 1);
        self.waiting.count.set(self.waiting.count.get() + 1);
        Ok(GpuReadback {
            gpu: self.clone(),
            lengths,
            mapping: Some(Mapping {
                staging,
                bytes,
                submission,
                receiver,
                waiting: self.waiting.clone(),
                landed: false,
            }),
        })
    }

    /// Submits an empty list, when a readback has been under way since the last call.
    pub(crate) fn nudge(&self) {
        let readbacks = self.readbacks.get();
        let seen_before = self.waiting.nudged_at.replace(readbacks) == readbacks;
        if seen_before && self.waiting.count.get() > 0 {
            self.setup.queue.submit([]);
        }
    }

    /// A staging buffer that is free, made anew when all are too small.
    fn staging(&self, bytes: u64) -> wgpu::Buffer {
        let mut free = self.staging.0.borrow_mut();
        if let Some(index) = free.iter().position(|buffer| buffer.size() >= bytes) {
            return free.swap_remove(index);
        }
        // A smaller one would not be used again.
        if let Some(small) = free.pop() {
            small.destroy();
        }
        self.setup.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: bytes.max(16).next_power_of_two(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }
}

/// Programs, and the words that are copied once they are done.
pub(crate) type GpuStep<'a> = (Vec<&'a GpuProgram>, Vec<(&'a GpuBuffer, Range<usize>)>);

/// What steps read, on its way back.
#[derive(Debug)]
pub(crate) struct GpuReadback {
    gpu: GpuDevice,
    /// In words, by step and read.
    lengths: Vec<Vec<usize>>,
    /// Absent where nothing is read.
    mapping: Option<Mapping>,
}

/// A staging buffer being mapped.
#[derive(Debug)]
struct Mapping {
    staging: wgpu::Buffer,
    bytes: u64,
    #[cfg_attr(target_family = "wasm", allow(dead_code, reason = "browsers poll"))]
    submission: wgpu::SubmissionIndex,
    receiver: oneshot::Receiver<Result<(), wgpu::BufferAsyncError>>,
    waiting: Rc<Waiting>,
    /// Whether its words were read, and it serves others.
    landed: bool,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.waiting.count.set(self.waiting.count.get() - 1);
        // What nobody waited for would keep its memory until a browser clears up.
        if !self.landed {
            self.staging.destroy();
        }
    }
}

impl GpuReadback {
    /// Waits for the words. A staging buffer whose mapping failed, or was not waited for, is not
    /// used again.
    pub(crate) async fn finish(mut self) -> Result<Vec<Vec<Vec<u32>>>, DeviceError> {
        let Some(mut mapping) = self.mapping.take() else {
            return Ok(vec![Vec::new(); self.lengths.len()]);
        };
        #[cfg(not(target_family = "wasm"))]
        self.gpu
            .setup
            .device
            .poll(wgpu::PollType::Wait {
                submission_index: Some(mapping.submission.clone()),
                timeout: None,
            })
            .map_err(|error| DeviceError::Lost(error.to_string()))?;
        let mapped = (&mut mapping.receiver)
            .await
            .map_err(|_| "the readback was dropped".to_owned());
        let mapped = mapped.and_then(|result| result.map_err(|error| error.to_string()));
        if let Err(message) = mapped {
            return Err(self.gpu.trouble().unwrap_or(DeviceError::Lost(message)));
        }
        let result = {
            let view = mapping
                .staging
                .get_mapped_range(0..mapping.bytes)
                .map_err(|error| DeviceError::Lost(error.to_string()))?;
            let words: &[u32] = bytemuck::cast_slice(&view);
            let mut start = 0;
            let mut next = |length: &usize| {
                start += length;
                words[start - length..start].to_vec()
            };
            self.lengths
                .iter()
                .map(|lengths| lengths.iter().map(&mut next).collect())
                .collect()
        };
        mapping.staging.unmap();
        mapping.landed = true;
        self.gpu
            .staging
            .0
            .borrow_mut()
            .push(mapping.staging.clone());
        match self.gpu.trouble() {
            Some(trouble) => Err(trouble),
            None => Ok(result),
        }
    }
}
