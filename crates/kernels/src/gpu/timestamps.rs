//! What the GPU's own clock says of compute passes.

use super::{GpuBuffer, GpuDevice, GpuProgram};
use crate::DeviceError;

impl GpuDevice {
    /// Runs every program `repeats` times in a compute pass of its own. Returns the milliseconds
    /// of one repetition of each; `None` where the GPU's clock cannot be read. Browsers round it
    /// to a tenth of a millisecond or so.
    pub(crate) async fn pass_times(
        &self,
        programs: &[(&GpuProgram, usize)],
    ) -> Result<Option<Vec<f64>>, DeviceError> {
        let device = &self.setup.device;
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        let count = 2 * programs.len() as u32;
        let queries = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("passes"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let resolved = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("timestamps"),
            size: 8 * u64::from(count),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        for (index, (program, repeats)) in programs.iter().enumerate() {
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(2 * index as u32),
                end_of_pass_write_index: Some(2 * index as u32 + 1),
            };
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(writes),
            });
            for _ in 0..*repeats {
                program.encode(&mut pass);
            }
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
        self.setup.queue.submit([encoder.finish()]);
        let buffer = GpuBuffer::borrowed(resolved, 0, 8 * u64::from(count));
        let read = vec![(&buffer, 0..2 * count as usize)];
        let words = self.begin(&[(Vec::new(), read)])?.finish().await?;
        let stamps: Vec<u64> = words
            .iter()
            .flatten()
            .flat_map(|words| words.chunks_exact(2))
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect();
        let milliseconds = f64::from(self.setup.queue.get_timestamp_period()) * 1e-6;
        let times = stamps.chunks_exact(2).zip(programs);
        Ok(Some(
            times
                .map(|(stamp, (_, repeats))| {
                    // Clocks that run backwards have been seen.
                    milliseconds * stamp[1].saturating_sub(stamp[0]) as f64 / *repeats as f64
                })
                .collect(),
        ))
    }
}
