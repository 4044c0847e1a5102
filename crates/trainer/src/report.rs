//! The figures of a pair: measured on the exported weights, printed, and written for people.

use anyhow::Context;
use burn::tensor::Device;
use couplet_model::{
    Acceptance, BitsPerByte, Decoder, Evaluation, ModelCard, Prediction, TextEvaluation,
};
use couplet_protocol::MAX_GAMMA;
use couplet_speculation::formulas::{best_gamma, speed_up};
use couplet_speculation::statistics::mean_interval;

use crate::compression::added_bytes;
use crate::corpus::{Corpus, HeldOut};
use crate::evaluation::{Agreement, agreement, mean_loss};
use crate::ngram::NGram;

/// The models of a pair as they were exported.
pub struct Decoders {
    /// Verifies.
    pub target: Decoder,
    /// Proposes.
    pub draft: Decoder,
    /// Proposes, trained on text alone.
    pub plain_draft: Decoder,
}

/// Measures a pair on the held-out text of its corpus; the prediction is left to [`predict`].
pub fn evaluate(
    corpus: &Corpus,
    decoders: &Decoders,
    context: usize,
    device: &Device,
) -> Evaluation {
    let vocab = corpus.tokenizer.vocab_size();
    let train = || corpus.parts.iter().map(|part| part.tokens.as_slice());
    let trigram = NGram::count(3, vocab, train());
    let five_gram = NGram::count(5, vocab, train());
    let train_text: String = corpus.parts.iter().map(|part| part.text.as_str()).collect();
    let evaluate = |text: &HeldOut| {
        println!("measuring on {} tokens: {}", text.tokens.len(), text.group);
        let bytes = text.text.len();
        let bits =
            |loss: f64| loss * text.tokens.len() as f64 / bytes as f64 / std::f64::consts::LN_2;
        let compressed = |program| {
            added_bytes(program, &train_text, &text.text)
                .map(|added| 8.0 * added as f64 / bytes as f64)
        };
        let loss = |decoder| mean_loss(decoder, &text.tokens, context, device);
        let (target_loss, draft_loss) = (loss(&decoders.target), loss(&decoders.draft));
        TextEvaluation {
            name: text.group.to_owned(),
            tokens: text.tokens.len(),
            bytes,
            target_loss,
            draft_loss,
            plain_draft_loss: loss(&decoders.plain_draft),
            bits_per_byte: BitsPerByte {
                target: bits(target_loss),
                draft: bits(draft_loss),
                trigram: bits(trigram.loss(&text.tokens)),
                five_gram: bits(five_gram.loss(&text.tokens)),
                gzip: compressed("gzip"),
                xz: compressed("xz"),
            },
            acceptance: acceptance(&text.tokens, decoders, context, device),
        }
    };
    let mut texts: Vec<TextEvaluation> = corpus.held_out.iter().map(evaluate).collect();
    if texts.len() > 1 {
        texts.push(evaluate(&HeldOut {
            group: "all",
            tokens: corpus
                .held_out
                .iter()
                .flat_map(|text| text.tokens.clone())
                .collect(),
            text: corpus
                .held_out
                .iter()
                .map(|text| text.text.as_str())
                .collect(),
        }));
    }
    Evaluation {
        texts,
        prediction: Prediction::default(),
    }
}

/// The speed-up to expect from an acceptance rate and the dispatches of one drafted token and
/// of one pass of the target.
pub fn predict(alpha: f64, [draft_dispatches, target_dispatches]: [u32; 2]) -> Prediction {
    let c = f64::from(draft_dispatches) / f64::from(target_dispatches);
    // One pass of the target has as many dispatches for several rows as for one.
    let v = 1.0;
    let gamma = best_gamma(alpha, c, v, MAX_GAMMA as usize);
    Prediction {
        draft_dispatches,
        target_dispatches,
        gamma,
        speed_up: speed_up(alpha, gamma, c, v),
    }
}

fn acceptance(
    tokens: &[u32],
    decoders: &Decoders,
    context: usize,
    device: &Device,
) -> Vec<Acceptance> {
    let drafts = [&decoders.plain_draft, &decoders.draft];
    let found = agreement(&decoders.target, &drafts, tokens, context, device);
    type Rate = fn(&Agreement) -> f64;
    let rates: [(f64, Rate); 3] = [
        (1.0, |agreement| agreement.at_one),
        (0.7, |agreement| agreement.at_seven_tenths),
        (0.0, |agreement| agreement.greedy),
    ];
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    rates
        .into_iter()
        .map(|(temperature, rate)| {
            let plain: Vec<f64> = found[0].iter().map(rate).collect();
            let distilled: Vec<f64> = found[1].iter().map(rate).collect();
            let gains: Vec<f64> = distilled.iter().zip(&plain).map(|(d, p)| d - p).collect();
            Acceptance {
                temperature,
                plain: mean(&plain),
                distilled: mean(&distilled),
                gain: mean(&gains),
                gain_interval: mean_interval(&gains, 0.95),
            }
        })
        .collect()
}

/// Checks that figures measured now are those of the card.
///
/// # Errors
///
/// If one differs by more than rounding on another processor explains.
pub fn compare(card: &Evaluation, now: &Evaluation) -> anyhow::Result<()> {
    for before in &card.texts {
        let after = now
            .texts
            .iter()
            .find(|text| text.name == before.name)
            .with_context(|| {
                format!(
                    "the card speaks of the text {:?}, the plan does not",
                    before.name
                )
            })?;
        let mut figures = vec![
            ("target's loss", before.target_loss, after.target_loss),
            ("draft's loss", before.draft_loss, after.draft_loss),
            (
                "plain draft's loss",
                before.plain_draft_loss,
                after.plain_draft_loss,
            ),
        ];
        for (before, after) in before.acceptance.iter().zip(&after.acceptance) {
            figures.push(("acceptance rate", before.distilled, after.distilled));
            figures.push(("plain draft's acceptance rate", before.plain, after.plain));
        }
        for (what, before_figure, after_figure) in figures {
            anyhow::ensure!(
                (before_figure - after_figure).abs() < 5e-4,
                "{}: the {what} is {after_figure:.4} now, but the card says {before_figure:.4}",
                before.name
            );
        }
    }
    Ok(())
}

/// The figures as a table for people, in Markdown.
pub fn table(card: &ModelCard) -> String {
    let mut text = String::new();
    for entry in &card.evaluation.texts {
        let bits = &entry.bits_per_byte;
        let optional = |figure: Option<f64>| {
            figure.map_or("not installed".to_owned(), |figure| format!("{figure:.3}"))
        };
        text += &format!(
            "### {}: {} tokens, {} bytes\n\n\
             | | target | draft | draft without distillation | trigram | 5-gram | gzip -9 | xz -9 |\n\
             |---|---|---|---|---|---|---|---|\n\
             | nats per token | {:.4} | {:.4} | {:.4} | | | | |\n\
             | bits per byte | {:.3} | {:.3} | | {:.3} | {:.3} | {} | {} |\n\n\
             | acceptance rate | without distillation | distilled | gain [95 % interval] |\n\
             |---|---|---|---|\n",
            entry.name,
            entry.tokens,
            entry.bytes,
            entry.target_loss,
            entry.draft_loss,
            entry.plain_draft_loss,
            bits.target,
            bits.draft,
            bits.trigram,
            bits.five_gram,
            optional(bits.gzip),
            optional(bits.xz),
        );
        for row in &entry.acceptance {
            let name = match row.temperature {
                0.0 => "greedy agreement".to_owned(),
                temperature => format!("temperature {temperature}"),
            };
            text += &format!(
                "| {name} | {:.3} | {:.3} | {:+.3} [{:+.3}, {:+.3}] |\n",
                row.plain, row.distilled, row.gain, row.gain_interval[0], row.gain_interval[1]
            );
        }
        text += "\n";
    }
    let prediction = &card.evaluation.prediction;
    text += &format!(
        "Predicted speed-up where every dispatch costs the same: {:.2} at gamma {} ({} dispatches for a drafted token, {} for a pass of the target).\n",
        prediction.speed_up,
        prediction.gamma,
        prediction.draft_dispatches,
        prediction.target_dispatches
    );
    text
}
