//! Uniform blocks and records, laid out as their WGSL namesakes.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// What every decode kernel is told about the rows it computes; `shaders/shared/pass.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Pass {
    /// Rows computed together, from `source_row` on.
    pub rows: u32,
    /// Position of row 0, relative to the committed length; rows before position 0 are idle.
    pub offset: i32,
    /// Width of a matrix's input.
    pub input_size: u32,
    /// Width of a matrix's output.
    pub output_size: u32,
    /// Query heads.
    pub heads: u32,
    /// Key and value heads.
    pub kv_heads: u32,
    /// Width of a head.
    pub head_dim: u32,
    /// First row read and, by kernels of a layer, written. Attention's inputs are projected from row
    /// 0 on, whatever this says.
    pub source_row: u32,
    /// First row written by other kernels.
    pub destination_row: u32,
    /// Number of tokens in the vocabulary.
    pub vocab: u32,
    /// Positions in the caches and in the token buffer.
    pub capacity: u32,
    /// Epsilon inside the root of RMSNorm.
    pub epsilon: f32,
    /// Whose draw it is, where a kernel draws: the number of a
    /// [`Purpose`](couplet_speculation::Purpose).
    pub purpose: u32,
}

impl Pass {
    /// The rows that are computed.
    pub fn from_source_row(&self) -> Range<usize> {
        let first = self.source_row as usize;
        first..first + self.rows as usize
    }

    /// Position of a row in the text, or `None` for a row before its beginning.
    pub fn position(&self, length: u32, row: usize) -> Option<usize> {
        usize::try_from(i64::from(length) + i64::from(self.offset) + row as i64).ok()
    }
}

/// What a run was asked for; `shaders/shared/settings.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RunSettings {
    /// Seed, low word first.
    pub seed: [u32; 2],
    /// A [`KernelRule`].
    pub rule: u32,
    /// The k most probable tokens stay possible; 0 is off.
    pub top_k: u32,
    /// Divides the logits; 0 takes the most probable token.
    pub temperature: f32,
    /// The fewest of the most probable tokens that reach this mass stay possible; 1 is off.
    pub top_p: f32,
    /// Multiplies the draft's probabilities under Lenience.
    pub lenience: f32,
    /// Typical: a token above this probability is kept.
    pub epsilon: f32,
    /// Typical: a token above this times `e^-H` is kept.
    pub delta: f32,
    /// Fills the block to whole pairs of words.
    pub padding: u32,
}

/// A rule, or a mistake of the museum in the place of one, by its number in [`RunSettings::rule`];
/// `shaders/shared/settings.wgsl` and `mistakes.wgsl`. What each does is in
/// [`couplet_speculation::rules`], which kernels draw and judge in
/// [`draw_kernel`](crate::rounds::draw_kernel) and [`verdict_kernel`](crate::rounds::verdict_kernel).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelRule {
    /// [`couplet_speculation::Rule::Rejection`].
    Rejection = 0,
    /// [`couplet_speculation::Rule::Greedy`].
    Greedy = 1,
    /// [`couplet_speculation::Rule::Gumbel`].
    Gumbel = 2,
    /// [`couplet_speculation::Rule::MinHash`].
    MinHash = 3,
    /// [`couplet_speculation::Rule::SampleAndMatch`].
    SampleAndMatch = 4,
    /// [`couplet_speculation::Rule::Block`].
    Block = 5,
    /// [`couplet_speculation::Rule::Lenience`], with [`RunSettings::lenience`].
    Lenience = 6,
    /// [`couplet_speculation::Rule::Typical`], with [`RunSettings::epsilon`] and
    /// [`RunSettings::delta`].
    Typical = 7,
    /// [`couplet_speculation::rules::wrong::WrongRule::ResamplesFromTarget`].
    ResamplesFromTarget = 100,
    /// [`couplet_speculation::rules::wrong::WrongRule::MatchThenResidual`].
    MatchThenResidual = 101,
    /// [`couplet_speculation::rules::wrong::WrongRule::DropsImprobableDrafts`].
    DropsImprobableDrafts = 102,
    /// [`couplet_speculation::rules::wrong::WrongRule::MatchOrRatio`].
    MatchOrRatio = 103,
    /// [`couplet_speculation::rules::wrong::WrongRule::RatioUpsideDown`].
    RatioUpsideDown = 104,
    /// [`couplet_speculation::rules::wrong::WrongRule::OneCoinForAllPositions`].
    OneCoinForAllPositions = 105,
    /// [`couplet_speculation::rules::wrong::WrongRule::ReplacementWithTheSameCoin`].
    ReplacementWithTheSameCoin = 106,
}

impl KernelRule {
    /// Every rule, then every mistake.
    pub const ALL: [Self; 15] = [
        Self::Rejection,
        Self::Greedy,
        Self::Gumbel,
        Self::MinHash,
        Self::SampleAndMatch,
        Self::Block,
        Self::Lenience,
        Self::Typical,
        Self::ResamplesFromTarget,
        Self::MatchThenResidual,
        Self::DropsImprobableDrafts,
        Self::MatchOrRatio,
        Self::RatioUpsideDown,
        Self::OneCoinForAllPositions,
        Self::ReplacementWithTheSameCoin,
    ];
}

impl RunSettings {
    /// The seed as one number.
    pub fn seed(&self) -> u64 {
        u64::from(self.seed[0]) | u64::from(self.seed[1]) << 32
    }

    /// What its number of a rule stands for.
    ///
    /// # Panics
    ///
    /// If no rule has the number.
    pub fn kernel_rule(&self) -> KernelRule {
        let found = KernelRule::ALL
            .into_iter()
            .find(|rule| *rule as u32 == self.rule);
        found.unwrap_or_else(|| panic!("no rule has the number {}", self.rule))
    }

    /// What keys the numbers of a round beyond their positions: its first position under Block
    /// verification, which looks at drafted tokens that it then throws away.
    pub(crate) fn round_lane(&self, length: u32) -> u32 {
        if self.rule == KernelRule::Block as u32 {
            length
        } else {
            0
        }
    }
}

/// What the kernel `couple` is told; `shaders/couple.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct Throws {
    /// Seed, low word first.
    pub seed: [u32; 2],
    /// One of the `COUPLING_` constants.
    pub coupling: u32,
    /// How many tokens there are.
    pub tokens: u32,
    /// Index of the first trial.
    pub first_trial: u32,
    /// How many trials, the first included.
    pub trials: u32,
    /// Invocations that share the trials.
    pub invocations: u32,
    /// The largest probability of either row in units of `2^-32`.
    pub highest: u32,
}

/// The numbers of the couplings in [`Throws::coupling`]; `shaders/couple.wgsl`.
pub(crate) const COUPLING_INDEPENDENT: u32 = 0;
/// See [`COUPLING_INDEPENDENT`].
pub(crate) const COUPLING_MINHASH: u32 = 1;
/// See [`COUPLING_INDEPENDENT`].
pub(crate) const COUPLING_GUMBEL: u32 = 2;
/// See [`COUPLING_INDEPENDENT`].
pub(crate) const COUPLING_OPTIMAL: u32 = 3;

/// Layout of the record that every verdict writes.
pub mod record {
    /// Words before the entries of the drafted tokens.
    pub const HEAD: usize = 8;
    /// Words per drafted token.
    pub const ENTRY: usize = 6;
    /// Committed length before the round.
    pub const LENGTH: usize = 0;
    /// Drafted tokens.
    pub const GAMMA: usize = 1;
    /// Accepted ones.
    pub const ACCEPTED: usize = 2;
    /// The token that the target added.
    pub const NEW_TOKEN: usize = 3;
    /// 1 when that is a bonus token.
    pub const IS_BONUS: usize = 4;
    /// Mass of the residual, f32 bits.
    pub const RESIDUAL_MASS: usize = 5;
    /// Draw of the new token, f32 bits.
    pub const DRAW: usize = 6;
    /// The factor of the target's probabilities in the residual, f32 bits.
    pub const RATIO: usize = 7;
    /// In an entry: the drafted token.
    pub const ENTRY_TOKEN: usize = 0;
    /// In an entry: the draw behind its coin of acceptance, f32 bits.
    pub const ENTRY_DRAW: usize = 1;
    /// In an entry: its probability under the draft, f32 bits.
    pub const ENTRY_DRAFT_PROB: usize = 2;
    /// In an entry: its probability under the target, f32 bits.
    pub const ENTRY_TARGET_PROB: usize = 3;
    /// In an entry: the threshold that the rule compared with besides, f32 bits; 0 where with none.
    pub const ENTRY_THRESHOLD: usize = 4;
    /// In an entry: the target's own token that the rule compared with, or [`NO_TOKEN`].
    pub const ENTRY_OWN_TOKEN: usize = 5;
    /// In the place of the target's own token, where the rule compares with none.
    pub const NO_TOKEN: u32 = u32::MAX;

    /// Words of a record for `gamma` drafted tokens.
    pub const fn words(gamma: usize) -> usize {
        HEAD + ENTRY * gamma
    }
}
