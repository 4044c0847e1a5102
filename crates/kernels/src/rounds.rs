//! Many rounds between fixed distributions, by the kernels that write text: what the live test of
//! losslessness counts.
//!
//! Every text has a committed length of its own and with it positions, so texts are written side by
//! side in one dispatch and share no random number.

use couplet_speculation::Purpose;

use crate::{
    Buffer, Device, DeviceError, Dispatch, Kernel, KernelRule, Pass, Read, RunSettings, record,
};

/// Texts written side by side in one submission.
pub const TEXTS: usize = 8192;

/// Texts that one seed can begin: 2^11 submissions.
pub const MAX_TEXTS: u64 = (TEXTS as u64) << 11;

/// How many of a GPU's texts are written by the CPU too before they count.
const COMPARED: usize = 64;

/// How many of those may differ: a number on the edge of two tokens falls on the other side where a
/// GPU rounds its last place otherwise.
const MAY_DIFFER: usize = 1;

/// The kernel that judges a round by a rule, or by a mistake of the museum.
pub fn verdict_kernel(rule: KernelRule) -> Kernel {
    match rule {
        KernelRule::Rejection | KernelRule::Lenience | KernelRule::Greedy => Kernel::Verify,
        KernelRule::Block => Kernel::VerifyBlock,
        KernelRule::Typical => Kernel::VerifyTypical,
        KernelRule::Gumbel | KernelRule::MinHash | KernelRule::SampleAndMatch => Kernel::VerifyOwn,
        KernelRule::ResamplesFromTarget
        | KernelRule::MatchThenResidual
        | KernelRule::DropsImprobableDrafts
        | KernelRule::MatchOrRatio
        | KernelRule::RatioUpsideDown
        | KernelRule::OneCoinForAllPositions
        | KernelRule::ReplacementWithTheSameCoin => Kernel::Museum,
    }
}

/// The kernel with which the draft, and the target for itself, draw under a rule.
pub fn draw_kernel(rule: KernelRule) -> Kernel {
    match rule {
        KernelRule::Gumbel | KernelRule::MinHash => Kernel::SharedDraw,
        KernelRule::Rejection
        | KernelRule::Lenience
        | KernelRule::Greedy
        | KernelRule::Block
        | KernelRule::Typical
        | KernelRule::SampleAndMatch
        | KernelRule::ResamplesFromTarget
        | KernelRule::MatchThenResidual
        | KernelRule::DropsImprobableDrafts
        | KernelRule::MatchOrRatio
        | KernelRule::RatioUpsideDown
        | KernelRule::OneCoinForAllPositions
        | KernelRule::ReplacementWithTheSameCoin => Kernel::Draw,
    }
}

/// Whether a rule compares drafted tokens with the target's own.
pub fn has_own_tokens(rule: KernelRule) -> bool {
    verdict_kernel(rule) == Kernel::VerifyOwn
}

/// The kernels of a rule, for one text or for texts side by side.
#[derive(Clone, Copy, Debug)]
pub struct RuleKernels {
    /// Which rule.
    pub rule: KernelRule,
    /// Whether those whose invocations [share their sums](Kernel::together), where there are such.
    pub shares_sums: bool,
    /// How many texts.
    pub texts: u32,
}

/// What a verdict reads and writes.
pub struct Judged<'a> {
    /// [`RunSettings`].
    pub settings: &'a Buffer,
    /// What drafted tokens are judged with. Shape: (gamma, vocab).
    pub draft_probs: &'a Buffer,
    /// Shape: (gamma + 1, vocab).
    pub target_probs: &'a Buffer,
    /// The text with the drafted tokens; the token that closes the round is written there.
    pub tokens: &'a Buffer,
    /// Those that the target drew by itself, for rules that [compare them](has_own_tokens).
    pub own_tokens: &'a Buffer,
    /// Committed lengths.
    pub state: &'a Buffer,
    /// What the round is told by, see [`record`].
    pub record: &'a Buffer,
}

impl RuleKernels {
    /// Draws so many rows' tokens from `probs`; `pass` is its uniform block.
    pub fn draw(
        self,
        pass: Buffer,
        rows: u32,
        settings: &Buffer,
        state: &Buffer,
        probs: &Buffer,
        tokens: &Buffer,
    ) -> Dispatch {
        let bindings = [settings, state, probs, tokens];
        self.dispatch(draw_kernel(self.rule), pass, bindings, rows)
    }

    /// Judges a round; `pass` is its uniform block.
    pub fn verdict(self, pass: Buffer, judged: &Judged<'_>) -> Dispatch {
        let own_tokens = has_own_tokens(self.rule).then_some(judged.own_tokens);
        let bindings = [
            judged.settings,
            judged.draft_probs,
            judged.target_probs,
            judged.tokens,
            judged.state,
            judged.record,
        ];
        let bindings = bindings.into_iter().chain(own_tokens);
        self.dispatch(verdict_kernel(self.rule), pass, bindings, 1)
    }

    fn dispatch<'a>(
        self,
        kernel: Kernel,
        pass: Buffer,
        bindings: impl IntoIterator<Item = &'a Buffer>,
        rows: u32,
    ) -> Dispatch {
        let bindings = bindings.into_iter().cloned();
        Dispatch {
            kernel: kernel.variant(self.shares_sums),
            bindings: [pass].into_iter().chain(bindings).collect(),
            rows_together: 1,
            workgroups: [rows, self.texts],
        }
    }
}

/// What plays rounds.
#[derive(Clone, Copy)]
pub struct Player<'a> {
    /// Where the kernels run.
    pub device: &'a Device,
    /// Whether by the kernels whose invocations [share their sums](Kernel::together), where there
    /// are such; a CPU has none.
    pub shares_sums: bool,
}

/// The distributions that rounds are played between, by the position within a round.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Number of tokens.
    pub vocab: usize,
    /// What drafted tokens are drawn from. Shape: (gamma, vocab).
    pub proposal: Vec<f32>,
    /// What they are judged with: the same, unless that is the mistake. Shape: (gamma, vocab).
    pub draft: Vec<f32>,
    /// Shape: (gamma + 1, vocab).
    pub target: Vec<f32>,
}

impl Rows {
    /// Drafted tokens per round.
    pub fn gamma(&self) -> usize {
        self.draft.len() / self.vocab
    }
}

/// A text after some rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedText {
    /// All tokens that the rounds committed.
    pub tokens: Vec<u32>,
    /// How many drafted tokens the first round kept.
    pub accepted: usize,
}

/// Plays `rounds` rounds of each of `count` texts, the `first` and those after it; `count` is at
/// most [`TEXTS`], and none goes beyond a multiple of that. A text of a seed is always the same.
/// The seed in `settings` has at most 53 bits.
///
/// # Errors
///
/// If the device fails, or [`DeviceError::Differs`] if it wrote what no rounds can write.
pub async fn play(
    player: Player<'_>,
    settings: RunSettings,
    rows: &Rows,
    rounds: usize,
    first: u64,
    count: usize,
) -> Result<Vec<PlayedText>, DeviceError> {
    let device = player.device;
    let (gamma, vocab) = (rows.gamma(), rows.vocab);
    let (piece, start) = (first / TEXTS as u64, (first % TEXTS as u64) as usize);
    let stride = rounds * (gamma + 1);
    let begin = |text: usize| 1 + (start + text) * stride;
    let lengths: Vec<u32> = (0..count).map(|text| begin(text) as u32).collect();
    let settings = RunSettings {
        seed: [settings.seed[0], settings.seed[1] | (piece as u32) << 21],
        ..settings
    };
    let texts = Texts {
        player,
        rule: settings.kernel_rule(),
        texts: count as u32,
        vocab: vocab as u32,
        settings: device.uniform(&settings),
        proposal: device.floats(&rows.proposal),
        draft: device.floats(&rows.draft),
        target: device.floats(&rows.target),
        tokens: device.zeros(begin(count)),
        own_tokens: device.zeros(begin(count)),
        state: device.buffer(&lengths),
    };
    let records = [(); 2].map(|()| device.zeros(count * record::words(gamma)));
    let kinds = [0, 1].map(|kind| texts.round(gamma, &records[kind]));
    let [first_round, later_round] = kinds.each_ref().map(|kind| device.program(kind.clone()));
    let mut programs = vec![&first_round];
    programs.resize(rounds, &later_round);
    let read = |buffer, words| Read { buffer, words };
    let words = device
        .run(
            &programs,
            &[
                read(&texts.tokens, begin(0)..begin(count)),
                read(&texts.state, 0..count),
                read(&records[0], 0..count * record::words(gamma)),
            ],
        )
        .await?;
    let text = |text: usize| {
        let committed = words[1][text].checked_sub(lengths[text])? as usize;
        let tokens = words[0].get(text * stride..)?.get(..committed)?;
        let accepted = words[2][text * record::words(gamma) + record::ACCEPTED] as usize;
        // Whoever reads them counts by what they say.
        let possible = (rounds..=stride).contains(&committed)
            && accepted <= gamma
            && tokens.iter().all(|token| (*token as usize) < vocab);
        possible.then(|| PlayedText {
            tokens: tokens.to_vec(),
            accepted,
        })
    };
    let played: Option<Vec<PlayedText>> = (0..count).map(text).collect();
    texts.free();
    records.iter().for_each(Buffer::free);
    kinds.iter().flatten().for_each(Dispatch::free_block);
    played.ok_or(DeviceError::Differs)
}

/// The buffers of texts written side by side.
struct Texts<'a> {
    player: Player<'a>,
    rule: KernelRule,
    texts: u32,
    vocab: u32,
    settings: Buffer,
    proposal: Buffer,
    draft: Buffer,
    target: Buffer,
    tokens: Buffer,
    own_tokens: Buffer,
    state: Buffer,
}

impl Texts<'_> {
    fn free(&self) {
        let inputs = [&self.settings, &self.proposal, &self.draft, &self.target];
        let written = [&self.tokens, &self.own_tokens, &self.state];
        inputs.into_iter().chain(written).for_each(Buffer::free);
    }

    fn kernels(&self) -> RuleKernels {
        RuleKernels {
            rule: self.rule,
            shares_sums: self.player.shares_sums,
            texts: self.texts,
        }
    }

    fn round(&self, gamma: usize, record: &Buffer) -> Vec<Dispatch> {
        let mut dispatches: Vec<Dispatch> = (0..gamma)
            .map(|step| self.draw(Purpose::Draft, step, 1, &self.proposal, &self.tokens))
            .collect();
        if has_own_tokens(self.rule) {
            let rows = gamma as u32 + 1;
            dispatches.push(self.draw(Purpose::Target, 0, rows, &self.target, &self.own_tokens));
        }
        let pass = self.player.device.uniform(&Pass {
            rows: gamma as u32,
            vocab: self.vocab,
            ..Pass::default()
        });
        let judged = Judged {
            settings: &self.settings,
            draft_probs: &self.draft,
            target_probs: &self.target,
            tokens: &self.tokens,
            own_tokens: &self.own_tokens,
            state: &self.state,
            record,
        };
        dispatches.push(self.kernels().verdict(pass, &judged));
        dispatches
    }

    fn draw(
        &self,
        purpose: Purpose,
        first_row: usize,
        rows: u32,
        probs: &Buffer,
        tokens: &Buffer,
    ) -> Dispatch {
        let pass = self.player.device.uniform(&Pass {
            source_row: first_row as u32,
            vocab: self.vocab,
            purpose: purpose as u32,
            ..Pass::default()
        });
        let kernels = self.kernels();
        kernels.draw(pass, rows, &self.settings, &self.state, probs, tokens)
    }
}

/// How often which text was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// By the first `gamma + 1` tokens, the first of them slowest. Shape: (vocab, ..., vocab).
    pub joint: Vec<u32>,
    /// By how many drafted tokens the first round kept. Shape: (gamma + 1).
    pub accepted: Vec<u64>,
    /// How many texts.
    pub texts: u64,
}

/// Writes texts until `gamma + 1` tokens of each stand, and counts them. `rows` are the same at
/// every position. Between two pieces `between` is asked, with the texts done so far, whether to go
/// on. Pieces of any size add up to the same counts. A GPU's first texts are held to those that the
/// CPU writes, as no run may have asked for the rule's kernels yet.
///
/// # Errors
///
/// If the device fails, or [`DeviceError::Differs`] if it writes other texts than the CPU.
pub async fn count(
    player: Player<'_>,
    settings: RunSettings,
    rows: &Rows,
    first: u64,
    texts: u64,
    mut between: impl AsyncFnMut(u64) -> bool,
) -> Result<Counts, DeviceError> {
    let places = rows.gamma() + 1;
    let mut counts = Counts {
        joint: vec![0; rows.vocab.pow(places as u32)],
        accepted: vec![0; places],
        texts: 0,
    };
    while counts.texts < texts {
        let next = first + counts.texts;
        let room = TEXTS as u64 - next % TEXTS as u64;
        let piece = room.min(texts - counts.texts) as usize;
        let played = play(player, settings, rows, places, next, piece).await?;
        if counts.texts == 0 && matches!(player.device, Device::Gpu(_)) {
            let processor = Player {
                device: &Device::Cpu,
                shares_sums: false,
            };
            let few = piece.min(COMPARED);
            let expected = play(processor, settings, rows, places, next, few).await?;
            if !are_as_expected(&expected, &played) {
                return Err(DeviceError::Differs);
            }
        }
        for text in played {
            let index = text.tokens[..places]
                .iter()
                .fold(0, |index, token| index * rows.vocab + *token as usize);
            counts.joint[index] += 1;
            counts.accepted[text.accepted] += 1;
        }
        counts.texts += piece as u64;
        if !between(counts.texts).await {
            break;
        }
    }
    Ok(counts)
}

/// Whether texts begin as expected, but for what rounding may do.
fn are_as_expected(expected: &[PlayedText], played: &[PlayedText]) -> bool {
    let pairs = expected.iter().zip(played);
    let differing = pairs.filter(|(expected, played)| expected != played);
    differing.count() <= MAY_DIFFER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_may_round_and_not_err() {
        let text = |token| PlayedText {
            tokens: vec![token],
            accepted: 0,
        };
        let expected = vec![text(1); COMPARED];
        let mut played = expected.clone();
        assert!(are_as_expected(&expected, &played));
        played[0] = text(0);
        assert!(are_as_expected(&expected, &played));
        played[1] = text(2);
        assert!(!are_as_expected(&expected, &played));
    }
}
