//! Plots about being afraid: of one thing by day, of noises by night.

use crate::cast::{FANTASTIC, WORKERS, YOUNG, friend, hero, opening};
use crate::teller::Teller;

const SWIMMERS: &[&str] = &[
    "frog", "turtle", "penguin", "otter", "beaver", "hippo", "elephant",
];

/// Fear is overcome because a friend needs help.
pub fn fear(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    let other = friend(teller, &person);
    let rows: &[[&str; 5]] = &[
        [
            "deep water",
            "did not even like big puddles",
            "{friend}'s little boat turned over in the lake, and {fthey} held on to it and called for help",
            "into the water, with a big log to hold on to",
            "The water carried {them} like a soft bed",
        ],
        [
            "the dark",
            "slept with three lamps",
            "{friend} did not come home in the evening. {Fthey} had hurt {ftheir} foot in the dark forest",
            "into the dark",
            "The dark was only the day with its eyes closed",
        ],
        [
            "high places",
            "did not even stand on chairs",
            "{friend} was stuck at the top of the old tower, because the stairs had frightened {fthem} too",
            "up the tower, step by step",
            "From up there {they} could see the whole world",
        ],
        [
            "thunder",
            "hid under the table when it rumbled",
            "a storm came, and {friend} was alone in the tent on the hill",
            "out into the storm",
            "The thunder was only the sky clearing its throat",
        ],
        [
            "the big dog next door",
            "always went the long way around",
            "{friend}'s ball flew over the fence, and {friend} climbed after it and could not get back",
            "through the gate, right past the dog",
            "The big dog only wanted somebody to throw the ball",
        ],
        [
            "the cellar",
            "never ate jam, because the jam was down there",
            "the cellar door fell shut, and {friend} was inside",
            "down the cellar stairs",
            "There was nothing down there but jam",
        ],
        [
            "the old bridge",
            "never crossed the river",
            "{friend} lay sick in bed on the other side and needed some hot soup",
            "over the bridge, with the soup pot in front",
            "The bridge only squeaked because it was ticklish",
        ],
        [
            "strangers",
            "hid behind the curtain when the bell rang",
            "{friend} got lost at the big market, and somebody had to ask the people there",
            "from stranger to stranger and asked every one of them",
            "Strangers were only friends with new faces",
        ],
    ];
    // The first row is about deep water, which is no danger to those who live in it.
    let swims = [person.kind.noun, other.kind.noun]
        .iter()
        .any(|noun| SWIMMERS.contains(noun));
    teller.facts(
        ["fear", "avoid", "event", "where", "learned"],
        &rows[usize::from(swims)..],
    );
    teller.set("trick", "[counted to ten|sang a little song|hummed a brave tune|held {their} own hand|said a rhyme, one word for every step|thought of pancakes]");
    opening(
        teller,
        "[was afraid of {fear} and {avoid}|was so afraid of {fear} that {they} {avoid}]",
    );
    teller.say("[{Their} friend {friend_full} never laughed about it.|<That is all right,> said {their} friend {friend_full}. <I am afraid of spiders.>|Only {their} best friend knew, {friend_full}.]");
    teller.paragraph();
    teller.say("But one day {event}.");
    teller.say("[?<Somebody must help!> said {hero}. {They} looked around. There was nobody else.|{Hero} waited for somebody brave to come. But nobody came.|{Hero} ran to find help, but everyone was at the fair.|<Why me?> thought {hero}. But who else was there?]");
    teller.say("{Hero}'s [knees were shaking|heart went boom, boom, boom|nose was cold with fear|hands trembled]. [First {they} took one step and ran back.|{They} took one step and stopped.|At first {they} could not move at all.] [?<I cannot do it,> {they} said.|<I am much too scared,> {they} whispered.] But then {they} thought of {friend}.");
    teller.say("{Hero} [took a deep breath|closed {their} eyes and opened them again|stood up very straight] and {trick}. And then {they} went {where}.");
    teller.paragraph();
    teller.say("[<You came!> cried {friend}. <But you are afraid of {fear}!>|<{Hero}! Is it really you?> asked {friend}. <In spite of {fear}?>|<I knew you would come,> said {friend}. <Were you very scared?>] [<Yes,> said {hero}. <But you are my friend.>|<I was scared all the way,> said {hero}. <But here I am.>|<I am still scared,> said {hero}. <Please hold my hand.>]");
    teller.say("Soon [everything was well again|both of them could laugh about it|{friend} was smiling again].");
    teller.say("{Learned}. [?Being brave does not mean that you are not afraid. It means that you go anyway.|And {hero} was a little afraid now and then, but only a little.|From then on, {hero} was afraid only on Mondays.|That night {hero} slept like a stone.]");
}

/// A strange noise at night has a funny cause.
pub fn noise(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC, WORKERS]);
    friend(teller, &person);
    teller.facts(
        ["sound", "guess", "cause", "cure"],
        &[
            [
                "Tap, tap, tap",
                "a skeleton that wants to come in",
                "a woodpecker who had mixed up day and night",
                "drew him a sun and a moon so that he would know",
            ],
            [
                "Scratch, scratch",
                "a monster with long nails",
                "a small cat who wanted to sleep by the stove",
                "let her in and gave her some milk",
            ],
            [
                "Hoo, hoo, hoo",
                "a ghost with a cold",
                "the wind, who was blowing into an empty bottle",
                "put a flower into the bottle",
            ],
            [
                "Crunch, crunch, crunch",
                "a giant who eats stones",
                "a hungry horse who had found the carrots",
                "gave him the last carrot too",
            ],
            [
                "Plip, plop, plip",
                "a sea snake who is dripping",
                "the tap in the kitchen, which wanted to be closed",
                "closed it, and the tap was quiet",
            ],
            [
                "Rumble, rumble, grr",
                "a bear under the floor",
                "{their} own empty belly",
                "made pancakes, a whole tower of them",
            ],
            [
                "Bump, bump, bump",
                "a robber with a big sack",
                "a goose who was trying to climb the stairs",
                "carried her up, because she wanted to see the moon",
            ],
            [
                "Squeak, squeak",
                "a witch on a rusty broom",
                "the garden gate, which was swinging in the wind",
                "gave the gate a drop of oil and said good night",
            ],
            [
                "Chrrr, pff, chrrr",
                "a dragon who is warming up",
                "grandfather, who was snoring in his chair",
                "put a blanket over him and tickled his nose",
            ],
            [
                "Ding, ding",
                "a ghost with a chain",
                "a cow with a bell who was eating the roses",
                "showed her where the good grass was",
            ],
            [
                "Flap, flap, flap",
                "a vampire at the window",
                "a shirt that somebody had left outside",
                "brought it in, because it was cold out there",
            ],
        ],
    );
    opening(
        teller,
        "[went to bed early every evening|always looked under the bed before going to sleep|was not afraid of anything in the daytime|loved {their} soft bed]",
    );
    teller.say("[One night|One dark night|One moonless night|Late one night], {they} woke up. <{sound}!> [?What was that?|Something was there.|It came from below.|It was very close.] {They} [sat up|pulled the blanket over {their} head|held {their} breath] and listened. <{sound}!> [?There it was again!|Again!]");
    teller.say("[<It is {guess},> {they} whispered.|<It must be {guess},> said {hero}.|<That is {guess}!> thought {hero}, and {their} teeth began to chatter.]");
    teller.paragraph();
    teller.say("{Hero} [ran|crept|tiptoed] to {friend_full}. <Wake up!> {they} said. <There is {guess}!> {Friend} [yawned|rubbed {ftheir} eyes|was not so sure]. [?<Are you sure?> {fthey} asked.|<In the middle of the night?> {fthey} asked.|<Then we should say hello,> {fthey} said.]");
    teller.set("arms", "[a candle and a frying pan|a lamp and a wooden spoon|a lantern and a pillow|a candle and an umbrella|a lamp and a rolling pin]");
    teller.say("So they took {arms} and went to look. [?{Hero} went in front, and {friend} went in front too, so they got stuck in the door.|{Friend} held on to {hero}, and {hero} held on to {friend}.|Step by step they went, as quiet as snow.|<You first,> said {hero}. <No, you first,> said {friend}. So they went together.]");
    teller.say("<{sound}!> [?It was very near now.|Now it was right in front of them.|{Hero} nearly dropped everything.] [One, two, three!|They counted to three.|{Hero} lifted the light.] And what did they see? [It was|It was only] {cause}!");
    teller.paragraph();
    teller.say("[?They laughed until their bellies hurt.|<So that is {guess}!> said {friend}, and they both laughed.|{Hero} had to sit down, because {they} was laughing so much.] Then {hero} {cure}.");
    teller.say("[After that the house was quiet, and {they} slept until noon.|And then everybody slept, even the moon.|<Good night,> said {friend}. <And next time, wake me up before the monster does.>|In the dark, small things sound big.|<I was not scared,> said {hero}. <Me neither,> said {friend}. And they did not let go of each other's hands.]");
}
