//! What each pair is made of: its text, its tokens, the shapes of its models, its lengths of
//! training. Everything that determines a pair, apart from the seed, is in this file.

/// How a pair is made.
#[derive(Clone, Debug)]
pub struct PairPlan {
    /// Short name, the folder's.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// A prompt that suits the text.
    pub prompt: &'static str,
    /// What a token is.
    pub tokens: TokenPlan,
    /// Where the text comes from.
    pub sources: Vec<Source>,
    /// How the held-out text is chosen, for people.
    pub split: &'static str,
    /// The model that verifies.
    pub target: ModelPlan,
    /// The model that proposes.
    pub draft: ModelPlan,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPlan {
    /// Every character that occurs.
    Characters,
    /// Byte-level byte-pair encoding with this many tokens, [`END_OF_TEXT`] among them.
    WordPieces(usize),
}

/// Separates items in text files and ends every story; a token of its own for word pieces.
pub const END_OF_TEXT: &str = "<|endoftext|>";

/// A piece of the training text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the group of sources that is evaluated together.
    pub group: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Share of the training windows.
    pub share: f64,
    /// What it is and where others find it, for the model card.
    pub description: &'static str,
    /// Its licence, for the model card.
    pub licence: &'static str,
}

/// Where text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A text file in the folder of corpora, held out from its end.
    WholeFile(&'static str),
    /// A text file whose items [`END_OF_TEXT`] separates; every tenth item is held out.
    Items(&'static str),
    /// Stories that [`couplet_storyworld`] tells, for seeds from 0 on; the held-out ones have
    /// seeds from 2^40 on.
    StoryWorld {
        /// How many to train on.
        stories: u64,
        /// How many to hold out.
        held_out: u64,
    },
}

/// Shape and training of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelPlan {
    /// Number of layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Optimiser steps.
    pub steps: usize,
    /// Windows per step.
    pub batch: usize,
    /// Positions of a window, and the longest text that the model can write.
    pub context: usize,
}

impl PairPlan {
    /// Every pair.
    pub fn all() -> [Self; 2] {
        [shakespeare(), stories()]
    }

    /// The names of all pairs.
    pub fn names() -> [&'static str; 2] {
        Self::all().map(|plan| plan.name)
    }

    /// The plan with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|plan| plan.name == name)
    }

    /// The same pair as a toy that trains in seconds: for tests, and to see whether everything
    /// that training needs is there.
    pub fn quick(mut self) -> Self {
        if let TokenPlan::WordPieces(vocab) = &mut self.tokens {
            *vocab = 320;
        }
        for source in &mut self.sources {
            if let Origin::StoryWorld { stories, held_out } = &mut source.origin {
                (*stories, *held_out) = (200, 10);
            }
        }
        // Only what can be had without any file, where there is such a source.
        if self.sources.iter().any(Source::needs_no_file) {
            self.sources.retain(Source::needs_no_file);
        }
        for model in [&mut self.target, &mut self.draft] {
            *model = ModelPlan {
                layers: model.layers.min(2),
                hidden_size: 32,
                heads: 2,
                steps: 36,
                batch: 4,
                context: 64,
            };
        }
        self
    }
}

impl Source {
    fn needs_no_file(&self) -> bool {
        matches!(self.origin, Origin::StoryWorld { .. })
    }
}

/// Characters: whole distributions fit on a screen, and everybody knows the text.
fn shakespeare() -> PairPlan {
    PairPlan {
        name: "shakespeare",
        title: "Shakespeare, by characters",
        prompt: "KING RICHARD:\n",
        tokens: TokenPlan::Characters,
        sources: vec![Source {
            group: "plays",
            origin: Origin::WholeFile("tinyshakespeare.txt"),
            share: 1.0,
            description: "tinyshakespeare (karpathy/char-rnn, commit 6f9487a)",
            licence: "public-domain text",
        }],
        split: "first 90 % of the characters to train, last 10 % held out",
        target: ModelPlan {
            layers: 8,
            hidden_size: 160,
            heads: 5,
            steps: 1200,
            batch: 16,
            context: 256,
        },
        draft: ModelPlan {
            layers: 1,
            hidden_size: 192,
            heads: 6,
            steps: 1500,
            batch: 16,
            context: 256,
        },
    }
}

/// Word pieces: stories that hold together because most of them come from a small world of
/// our own, and breadth from simple stories that people wrote.
fn stories() -> PairPlan {
    let file = |name, share, description, licence| Source {
        group: "simple stories",
        origin: Origin::Items(name),
        share,
        description,
        licence,
    };
    PairPlan {
        name: "stories",
        title: "Stories, by word pieces",
        prompt: "Once upon a time,",
        tokens: TokenPlan::WordPieces(2048),
        sources: vec![
            Source {
                group: "story world",
                origin: Origin::StoryWorld {
                    stories: 20_000,
                    held_out: 250,
                },
                share: 0.6,
                description: couplet_storyworld::DESCRIPTION,
                licence: "MIT, part of this project",
            },
            file(
                "tinystories_sample.txt",
                0.2,
                "a sample of TinyStories (s-ajaykumar/smallGPT, commit b8b8992)",
                "CDLA-Sharing-1.0",
            ),
            file(
                "pratham_en.txt",
                0.12,
                "Pratham Books StoryWeaver (global-asp/pb-source, commit 9ea530d)",
                "CC BY 4.0",
            ),
            file(
                "asp_en.txt",
                0.08,
                "African Storybook, CC BY items (global-asp/asp-source, commit 99e0223)",
                "CC BY",
            ),
        ],
        split: "of the story world, seeds from 0 to train and from 2^40 held out; of every file, each tenth story held out",
        target: ModelPlan {
            layers: 8,
            hidden_size: 160,
            heads: 5,
            steps: 1150,
            batch: 10,
            context: 256,
        },
        draft: ModelPlan {
            layers: 1,
            hidden_size: 128,
            heads: 4,
            steps: 2000,
            batch: 10,
            context: 256,
        },
    }
}
