//! Which token follows which: a draft that needs no model.

use serde::{Deserialize, Serialize};

/// Why a table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BigramError {
    /// It is no such table.
    #[error("the bigram table cannot be read ({0})")]
    Json(#[from] serde_json::Error),
    /// It belongs to another tokenizer.
    #[error("the bigram table is for {found} tokens, but the models have {expected}")]
    Vocabulary {
        /// Rows of the table.
        found: usize,
        /// Tokens of the models.
        expected: usize,
    },
    /// A row contradicts itself.
    #[error("the bigram table is damaged in row {0}")]
    Row(usize),
}

/// How often each token followed each other one in a text. Of every row the most frequent
/// successors are kept one by one and the others as one number. Source: Shannon 1948, section 3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BigramTable {
    /// By the token before: how often it stood anywhere but at the end, then the kept successors
    /// and how often each followed, as `[total, token, count, token, count, ...]`.
    pub rows: Vec<Vec<u32>>,
}

impl BigramTable {
    /// Counts texts, keeping at most `kept` successors of each token. Ties go to the lower id.
    ///
    /// # Panics
    ///
    /// When a token is not in the vocabulary.
    pub fn count<'a>(
        texts: impl IntoIterator<Item = &'a [u32]>,
        vocab: usize,
        kept: usize,
    ) -> Self {
        let mut counts = vec![0u32; vocab * vocab];
        for text in texts {
            for pair in text.windows(2) {
                counts[pair[0] as usize * vocab + pair[1] as usize] += 1;
            }
        }
        let row = |counts: &[u32]| {
            let mut order: Vec<usize> = (0..vocab).filter(|token| counts[*token] > 0).collect();
            order.sort_by_key(|token| (std::cmp::Reverse(counts[*token]), *token));
            order.truncate(kept);
            let successors = order
                .iter()
                .flat_map(|&token| [token as u32, counts[token]]);
            std::iter::once(counts.iter().sum())
                .chain(successors)
                .collect()
        };
        Self {
            rows: counts.chunks_exact(vocab).map(row).collect(),
        }
    }

    /// Reads a table for a vocabulary.
    ///
    /// # Errors
    ///
    /// If it is damaged or for another vocabulary.
    pub fn from_json(bytes: &[u8], vocab: usize) -> Result<Self, BigramError> {
        let table: Self = serde_json::from_slice(bytes)?;
        if table.rows.len() != vocab {
            return Err(BigramError::Vocabulary {
                found: table.rows.len(),
                expected: vocab,
            });
        }
        for (index, row) in table.rows.iter().enumerate() {
            let total = row.first().copied().map(u64::from);
            let kept: u64 = row.iter().skip(2).step_by(2).copied().map(u64::from).sum();
            let mut successors: Vec<u32> = row.iter().skip(1).step_by(2).copied().collect();
            successors.sort_unstable();
            let known = |token: &u32| (*token as usize) < vocab;
            let fits = row.len() % 2 == 1
                && total.is_some_and(|total| kept <= total)
                && successors.iter().all(known)
                && successors.windows(2).all(|pair| pair[0] < pair[1])
                && row.iter().skip(2).step_by(2).all(|count| *count > 0);
            if !fits {
                return Err(BigramError::Row(index));
            }
        }
        Ok(table)
    }

    /// The logarithm of every count. Successors that were not kept share what the kept ones leave
    /// of the total, and one more, so that every token stays possible.
    ///
    /// # Shapes
    /// Returns (vocab, vocab), by the token before.
    pub fn logits(&self) -> Vec<f32> {
        let vocab = self.rows.len();
        let mut logits = Vec::with_capacity(vocab * vocab);
        for row in &self.rows {
            let kept = row.len() / 2;
            let kept_total: u32 = row.iter().skip(2).step_by(2).sum();
            let rest = (f64::from(row[0] - kept_total) + 1.0) / (vocab - kept).max(1) as f64;
            let begin = logits.len();
            logits.resize(begin + vocab, rest.ln() as f32);
            for pair in row[1..].chunks_exact(2) {
                logits[begin + pair[0] as usize] = f64::from(pair[1]).ln() as f32;
            }
        }
        logits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_probabilities_in_which_everything_is_possible() {
        let text = [0, 1, 0, 1, 0, 2, 0, 1];
        let table = BigramTable::count([text.as_slice()], 4, 1);
        assert_eq!(table.rows[0], [4, 1, 3]);
        assert_eq!(table.rows[3], [0]);
        let json = serde_json::to_vec(&table).unwrap();
        assert_eq!(BigramTable::from_json(&json, 4).unwrap(), table);
        let logits = table.logits();
        let prob = |before: usize, token: usize| {
            let row = &logits[4 * before..][..4];
            let total: f32 = row.iter().map(|logit| logit.exp()).sum();
            row[token].exp() / total
        };
        assert!((prob(0, 1) - 3.0 / 5.0).abs() < 1e-6);
        assert!((prob(0, 2) - 2.0 / 15.0).abs() < 1e-6);
        assert!((prob(3, 0) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn damaged_tables_are_refused() {
        let read = |text: &str| BigramTable::from_json(text.as_bytes(), 2);
        assert!(read(r#"{"rows": [[1, 1, 1], [0]]}"#).is_ok());
        for bad in [
            "",
            r#"{"rows": [[1]]}"#,
            r#"{"rows": [[], [0]]}"#,
            r#"{"rows": [[1, 1], [0]]}"#,
            r#"{"rows": [[1, 2, 1], [0]]}"#,
            r#"{"rows": [[1, 1, 2], [0]]}"#,
            r#"{"rows": [[1, 1, 0], [0]]}"#,
            r#"{"rows": [[3, 1, 1, 1, 1], [0]]}"#,
            r#"{"rows": [[3, 1, 1, 1, 1, 1, 1], [0]]}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let most = read(r#"{"rows": [[4294967295], [0]]}"#).unwrap();
        assert!(most.logits().iter().all(|logit| logit.is_finite()));
    }
}
