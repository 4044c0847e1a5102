use burn::tensor::Device;
use burn_store::{
    BurnToPyTorchAdapter, FloatCastAdapter, HalfPrecisionAdapter, ModuleAdapter, ModuleSnapshot,
    PyTorchToBurnAdapter, SafetensorsStore,
};
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};
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
        "the SHA-256 of a file of the pair is {found}, but the model card says {expected}; download it again"
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
    format!("{:x}", Sha256::digest(bytes))
}

/// Builds a decoder from a safetensors file with Hugging Face's names, in f16, bf16 or f32.
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
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| WeightsError::Unreadable(error.to_string()))?;
    for (name, tensor) in file.iter() {
        let (pairs, fours) = (tensor.data().as_chunks().0, tensor.data().as_chunks().0);
        let finite = match tensor.dtype() {
            Dtype::F16 => pairs.iter().all(|&it| f16::from_le_bytes(it).is_finite()),
            Dtype::BF16 => pairs.iter().all(|&it| bf16::from_le_bytes(it).is_finite()),
            Dtype::F32 => fours.iter().all(|&it| f32::from_le_bytes(it).is_finite()),
            other => {
                return Err(WeightsError::Unreadable(format!(
                    "{name} has numbers of the type {other}"
                )));
            }
        };
        if !finite {
            return Err(WeightsError::NotFinite);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use safetensors::serialize;
    use safetensors::tensor::TensorView;

    use super::*;

    fn file(dtype: Dtype, numbers: &[u8]) -> Vec<u8> {
        let length = numbers.len() * 8 / dtype.bitsize();
        let tensor = TensorView::new(dtype, vec![length], numbers).unwrap();
        serialize([("a", tensor)], None).unwrap()
    }

    #[test]
    fn numbers_that_are_not_finite_are_found_in_every_format() {
        for (dtype, largest, not_finite) in [
            (
                Dtype::F16,
                f16::MAX.to_le_bytes().to_vec(),
                [f16::INFINITY, f16::NAN].map(|it| it.to_le_bytes().to_vec()),
            ),
            (
                Dtype::BF16,
                bf16::MIN.to_le_bytes().to_vec(),
                [bf16::NEG_INFINITY, bf16::NAN].map(|it| it.to_le_bytes().to_vec()),
            ),
            (
                Dtype::F32,
                f32::MAX.to_le_bytes().to_vec(),
                [f32::INFINITY, f32::NAN].map(|it| it.to_le_bytes().to_vec()),
            ),
        ] {
            assert!(check_finite(&file(dtype, &largest.repeat(3))).is_ok());
            for bad in not_finite {
                let verdict = check_finite(&file(dtype, &[largest.clone(), bad].concat()));
                assert!(matches!(verdict, Err(WeightsError::NotFinite)), "{dtype}");
            }
        }
    }

    #[test]
    fn what_is_no_file_of_weights_is_refused() {
        let whole = file(Dtype::F32, &[0; 8]);
        for end in [0, 7, 20, whole.len() - 1] {
            let verdict = check_finite(&whole[..end]);
            assert!(
                matches!(verdict, Err(WeightsError::Unreadable(_))),
                "{end}: {verdict:?}"
            );
        }
        let counts = check_finite(&file(Dtype::I32, &[0; 8]));
        assert!(matches!(counts, Err(WeightsError::Unreadable(_))));
    }
}
