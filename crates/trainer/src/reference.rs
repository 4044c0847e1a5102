//! What this runtime computes for a pair, written down for other software to be compared with:
//! `crates/model/python/check_pair.py` does so with Hugging Face's `transformers`.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use burn::tensor::{Device, Int, Tensor, TensorData};
use couplet_engine::{Backend, Engine, Pair, PairFiles};
use couplet_model::Decoder;
use couplet_protocol::{Rule, Settings};
use serde::Serialize;

/// Tokens of each greedy continuation.
const NEW_TOKENS: u32 = 60;

/// Tokens that the draft proposes per round.
const GAMMA: u32 = 4;

/// For pairs that write characters, of which only those in the plays have a token.
const PLAYS: [&str; 20] = [
    "KING RICHARD:\n",
    "First Citizen:\nBefore we proceed any further, hear me",
    "ROMEO:\nBut, soft! what light through yonder window",
    "What say you to ",
    "My lord, ",
    "JULIET:\nO ",
    "The duke hath sent his letters to the ",
    "A",
    "Now is the winter of our discontent\nMade glorious",
    "I pray you, tell me ",
    "QUEEN MARGARET:\n",
    "Sir, I ",
    "good morrow, ",
    "And yet I would not have thee ",
    "To be, or not to be: that is the question:\n",
    "DUKE VINCENTIO:\nIt is ",
    "Come, come, ",
    "What's in a name? that which we call a rose;\n\n",
    "A horse! a horse! my kingdom for ",
    "Where is the ",
];

/// For pairs that write word pieces, which any text can be cut into.
const STORIES: [&str; 20] = [
    "Once upon a time",
    "Once upon a time, there was a little girl named Lily.",
    "One day, a boy named Tom went to the park with his",
    "The cat sat on the",
    "Mia had a red ball. She",
    "\"Can I help you?\" asked the",
    "It was raining, so Ben",
    "There was an old tree in the garden. Under the tree",
    "A",
    "The little dog was very sad because",
    "Sam and Anna wanted to build a house of snow.\n\n",
    "In the morning, the sun ",
    "\"I'm sorry,\" said Max. \"I didn't mean to",
    "They looked everywhere: behind the door, below the bed, and",
    "At last, the bird could",
    "Grandma smiled and gave him 3 cookies,",
    // Word pieces that no story has: the bytes of rare characters, runs of spaces, odd words.
    "Zoë’s café — naïve, 25 °C!  ",
    "Xylophonequartz",
    "  two  spaces\n\tand a tab",
    "The end. Then",
];

/// Everything that is compared.
#[derive(Serialize)]
struct Reference {
    pair: String,
    target_sha256: String,
    draft_sha256: String,
    gamma: u32,
    new_tokens: u32,
    prompts: Vec<Prompt>,
}

/// What comes of one prompt.
#[derive(Serialize)]
struct Prompt {
    /// Text before the prompt, the card's.
    prefix: String,
    prompt: String,
    /// Tokens of prefix and prompt.
    tokens: Vec<u32>,
    /// Text of all `tokens`.
    text: String,
    /// Logits of the next token after each of `tokens`, `(tokens, vocab)`.
    target_logits: Vec<Vec<f32>>,
    /// The draft's, likewise.
    draft_logits: Vec<Vec<f32>>,
    /// Rounds of speculation that the continuation took.
    rounds: u32,
    /// The greedy continuation, `new_tokens` of them unless the text ended before.
    greedy_tokens: Vec<u32>,
    /// Text of `greedy_tokens`.
    greedy_text: String,
}

/// Writes down for twenty prompts what the pair in a folder makes of them: token ids, the
/// logits of both models after every token (plain burn operations on the CPU), and the greedy
/// continuation by whole rounds of speculation (the engine's kernels on the CPU).
///
/// # Errors
///
/// If a file of the pair is missing or damaged, a prompt does not suit the vocabulary or the
/// context, or the result cannot be written.
pub fn write_reference(pair_folder: &Path, out: &Path) -> anyhow::Result<()> {
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    let reference = pollster::block_on(reference(Rc::new(pair)))?;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    fs::write(out, serde_json::to_vec(&reference)?)
        .with_context(|| format!("cannot write {}", out.display()))?;
    println!("{}: {} prompts", out.display(), reference.prompts.len());
    Ok(())
}

async fn reference(pair: Rc<Pair>) -> anyhow::Result<Reference> {
    // Nothing here is timed.
    let engine = Engine::new(pair.clone(), &Backend::cpu(), || 0.0).await?;
    let texts = if pair.card.token_kind == "character" {
        PLAYS
    } else {
        STORIES
    };
    let mut prompts = Vec::new();
    for text in texts {
        let prompt = prompt(&engine, text).await;
        prompts.push(prompt.with_context(|| format!("the prompt {text:?}"))?);
    }
    Ok(Reference {
        pair: pair.card.name.clone(),
        target_sha256: pair.card.target.weights.sha256.clone(),
        draft_sha256: pair.card.draft.weights.sha256.clone(),
        gamma: GAMMA,
        new_tokens: NEW_TOKENS,
        prompts,
    })
}

async fn prompt(engine: &Engine, prompt: &str) -> anyhow::Result<Prompt> {
    let pair = engine.pair();
    let settings = Settings {
        pair: pair.card.name.clone(),
        prompt: prompt.to_owned(),
        gamma: GAMMA,
        rule: Rule::Greedy,
        temperature: 0.0,
        max_tokens: NEW_TOKENS,
        ..Settings::default()
    };
    let (mut run, _) = engine.start(&settings).await?;
    let tokens = run.tokens().to_vec();
    anyhow::ensure!(
        tokens.len() + NEW_TOKENS as usize <= pair.context(),
        "it has {} tokens: with {NEW_TOKENS} more it exceeds the context of {}",
        tokens.len(),
        pair.context()
    );
    let mut rounds = 0;
    while run.finished().is_none() {
        engine.round(&mut run, false).await?;
        rounds += 1;
    }
    let greedy_tokens = run.tokens()[tokens.len()..].to_vec();
    Ok(Prompt {
        prefix: pair.card.prefix.clone(),
        prompt: prompt.to_owned(),
        text: pair.tokenizer.decode(&tokens),
        target_logits: logits(&pair.target, &tokens)?,
        draft_logits: logits(&pair.draft, &tokens)?,
        tokens,
        rounds,
        greedy_text: pair.tokenizer.decode(&greedy_tokens),
        greedy_tokens,
    })
}

/// Logits of the next token after every position, `(tokens, vocab)`.
fn logits(decoder: &Decoder, tokens: &[u32]) -> anyhow::Result<Vec<Vec<f32>>> {
    let ids: Vec<i32> = tokens.iter().map(|id| *id as i32).collect();
    let input =
        Tensor::<2, Int>::from_data(TensorData::new(ids, [1, tokens.len()]), &Device::flex());
    let logits = decoder.forward(input);
    let [_, _, vocab] = logits.dims();
    let logits: Vec<f32> = logits
        .into_data()
        .try_into_vec()
        .map_err(|error| anyhow::anyhow!("the logits cannot be read: {error:?}"))?;
    Ok(logits.chunks(vocab).map(<[f32]>::to_vec).collect())
}
