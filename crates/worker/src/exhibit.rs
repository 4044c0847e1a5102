//! Requests of the scenes Couplings and Proof: they need a device and no models.

use couplet_engine::{EngineError, KernelSet, count_rounds, couple};
use couplet_kernels::{Device, DeviceError};
use couplet_protocol::{Command, Failure, Reply};

use crate::scope;
use crate::session::Session;

impl Session {
    /// Fulfils a request or says why not. Others are being fulfilled meanwhile.
    pub(crate) async fn exhibit(&self, command: Command) {
        let (Command::Couple { id, .. } | Command::CountRounds { id, .. }) = command else {
            return;
        };
        self.let_measure(id).await;
        if self.stopped.borrow_mut().remove(&id) {
            return scope::post(&Reply::Failed {
                id: Some(id),
                failure: Failure::measurement_stopped(),
            });
        }
        let (device, kernel_set) = self.exhibit_device();
        let mut result = self.exhibit_on(&device, kernel_set, &command).await;
        if let Err(EngineError::Device(error)) = &result {
            if *error == DeviceError::Differs
                && let Some(loaded) = self.loaded.borrow().as_ref()
            {
                loaded.miscounts.set(true);
            }
            // The GPU is gone, or not to be trusted with this: the same numbers come from the CPU.
            result = self
                .exhibit_on(&Device::Cpu, KernelSet::default(), &command)
                .await;
        }
        self.stopped.borrow_mut().remove(&id);
        scope::post(&result.unwrap_or_else(|error| Reply::Failed {
            id: Some(id),
            failure: error.failure(),
        }));
    }

    async fn exhibit_on(
        &self,
        device: &Device,
        kernel_set: KernelSet,
        command: &Command,
    ) -> Result<Reply, EngineError> {
        let go_on = async |id: u32| {
            self.breathe().await;
            self.let_measure(id).await;
            !self.is_stopped(id)
        };
        match command {
            Command::Couple { id, request } => {
                let coupled = couple(device, request, scope::now, async |_| go_on(*id).await);
                let coupled = scope::patiently(device, coupled).await?;
                Ok(Reply::Coupled { id: *id, coupled })
            }
            Command::CountRounds { id, request } => {
                let go_on = async |_| go_on(*id).await;
                let counted = count_rounds(device, kernel_set, request, scope::now, go_on);
                let counted = scope::patiently(device, counted).await?;
                Ok(Reply::RoundsCounted { id: *id, counted })
            }
            _ => unreachable!("other commands wait for their turn"),
        }
    }

    /// Waits while something is timed, which other work would falsify, or until the request is
    /// stopped.
    async fn let_measure(&self, id: u32) {
        while self.stillness.is_held() && !self.is_stopped(id) {
            scope::sleep(50).await;
        }
    }

    /// The device of the loaded pair and the kernels that write its runs. Without a pair it is the
    /// CPU: no GPU was compared with it yet, and it throws thousands of pairs in milliseconds.
    fn exhibit_device(&self) -> (Device, KernelSet) {
        match self.loaded.borrow().as_ref() {
            Some(loaded) if !loaded.miscounts.get() => {
                (loaded.engine.device().beside(), loaded.engine.kernel_set())
            }
            _ => (Device::Cpu, KernelSet::default()),
        }
    }
}
