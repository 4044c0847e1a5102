//! Twin of `shaders/attention_any.wgsl`: attention whose heads' width is no matter.

pub(super) use super::attention::run;
