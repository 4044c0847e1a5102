use burn::tensor::Device;
use burn_store::{
    BurnToPyTorchAdapter, FloatCastAdapter, HalfPrecisionAdapter, ModuleAdapter, ModuleSnapshot,
    PyTorchToBurnAdapter, SafetensorsStore,
};
use sha2::{Digest, Sha256};

use crate::{Decoder, DecoderConfig};

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is damaged or of another format.
    #[error("the weights cannot be read ({0}); download them again")]
    Unreadable(String),
    /// The file does not hold what `config.json` describes.
    #[error("the weights do not fit config.json: {0}")]
    Mismatch(String),
    /// A number in the file is not finite.
    #[error(
        "the weights hold numbers that are not finite; the file is damaged or its training diverged"
    )]
    NotFinite,
    /// The file's hash is not the one in the model card.
    #[error(
        "the weights' SHA-256 is {found}, but the model card says {expected}; download them again"
    )]
    WrongHash {
        /// From the model card.
        expected: String,
        /// Of the bytes at hand.
        found: String,
    },
}

/// SHA-256 of `bytes`, in lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Builds a decoder from a safetensors file with Hugging Face's names, f16 or f32.
///
/// # Errors
///
/// If the bytes are not such a file, lack a tensor, hold one of another shape, or hold numbers
/// that are not finite.
pub fn load_weights(
    config: &DecoderConfig,
    safetensors: Vec<u8>,
    device: &Device,
) -> Result<Decoder, WeightsError> {
    check_finite(&safetensors)?;
    let mut decoder = config.init(device);
    let mut store = SafetensorsStore::from_bytes(Some(safetensors))
        .with_from_adapter(
            PyTorchToBurnAdapter.chain(FloatCastAdapter::to(burn::tensor::DType::F32)),
        )
        .allow_partial(true)
        .validate(false);
    let result = decoder
        .load_from(&mut store)
        .map_err(|error| WeightsError::Unreadable(error.to_string()))?;
    if let Some((path, _)) = result.missing.first() {
        return Err(WeightsError::Mismatch(format!(
            "the tensor {path} is missing"
        )));
    }
    if let Some(error) = result.errors.first() {
        return Err(WeightsError::Mismatch(error.to_string()));
    }
    Ok(decoder)
}

/// Writes a decoder as an f16 safetensors file with Hugging Face's names.
///
/// # Errors
///
/// If the tensors cannot be collected.
pub fn save_weights(decoder: &Decoder) -> Result<Vec<u8>, WeightsError> {
    let unreadable =
        |error: burn_store::SafetensorsStoreError| WeightsError::Unreadable(error.to_string());
    let mut store = SafetensorsStore::from_bytes(None)
        .with_to_adapter(BurnToPyTorchAdapter.chain(HalfPrecisionAdapter::new()))
        .clear_metadata()
        .metadata("format", "pt");
    decoder.save_into(&mut store).map_err(unreadable)?;
    store.get_bytes().map_err(unreadable)
}

/// Looks at the raw numbers, since a device may be allowed to assume that NaN never occurs.
fn check_finite(bytes: &[u8]) -> Result<(), WeightsError> {
    let unreadable = |what: &str| WeightsError::Unreadable(what.to_owned());
    let header_length = bytes
        .first_chunk::<8>()
        .ok_or_else(|| unreadable("the file is too short"))?;
    let header_length = usize::try_from(u64::from_le_bytes(*header_length)).unwrap_or(usize::MAX);
    let header_end = header_length
        .checked_add(8)
        .filter(|end| *end <= bytes.len());
    let header_end = header_end.ok_or_else(|| unreadable("the file is cut off"))?;
    let header: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(&bytes[8..header_end])
            .map_err(|error| unreadable(&error.to_string()))?;
    for (name, entry) in header.iter().filter(|(name, _)| *name != "__metadata__") {
        let offset = |index: usize| {
            entry["data_offsets"][index]
                .as_u64()
                .map(|offset| offset as usize)
        };
        let (Some(start), Some(end)) = (offset(0), offset(1)) else {
            return Err(unreadable(&format!("{name} has no offsets")));
        };
        let data = bytes[header_end..]
            .get(start..end)
            .ok_or_else(|| unreadable("the file is cut off"))?;
        // A number is not finite exactly when all its exponent bits are set.
        let finite = match entry["dtype"].as_str() {
            Some("F16") => data.chunks_exact(2).all(|b| b[1] & 0x7c != 0x7c),
            Some("BF16") => data
                .chunks_exact(2)
                .all(|b| !(b[1] & 0x7f == 0x7f && b[0] & 0x80 != 0)),
            Some("F32") => data
                .chunks_exact(4)
                .all(|b| !(b[3] & 0x7f == 0x7f && b[2] & 0x80 != 0)),
            other => return Err(unreadable(&format!("{name} has the number type {other:?}"))),
        };
        if !finite {
            return Err(WeightsError::NotFinite);
        }
    }
    Ok(())
}
