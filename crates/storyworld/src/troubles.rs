//! Plots about one's own faults: promises, boasts, fibs.

use crate::cast::{FANTASTIC, YOUNG, friend, hero, opening};
use crate::teller::Teller;

/// A promise is forgotten for fun and made good in time.
pub fn promise(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.facts(
        ["owner", "task", "bad", "fix", "good"],
        &[
            [
                "the gardener",
                "water the sunflowers every day",
                "the sunflowers hung their heads and their leaves were dry",
                "carried water, one bucket after another, until it was dark",
                "one sunflower after another lifted its head",
            ],
            [
                "the old hen",
                "sit on my eggs while I go to town",
                "the eggs were cold and the nest was sad",
                "sat on the eggs all night without moving",
                "there was a crack, and a little beak came out",
            ],
            [
                "the baker",
                "watch the bread in the oven",
                "black smoke came out of the oven",
                "threw the burnt bread away and kneaded new dough until {their} arms ached",
                "the new bread came out golden and smelled wonderful",
            ],
            [
                "the shepherd",
                "watch the smallest sheep",
                "the gate was open and the smallest sheep was gone",
                "looked in every ditch and behind every bush until {they} heard a tiny baa",
                "the smallest sheep was back, and dirty, and happy",
            ],
            [
                "the fisherman",
                "tie up my boat well",
                "the boat was drifting on the wide water",
                "got a long pole and pulled the boat back, bit by bit",
                "the boat lay at the dock again, with seven knots in the rope",
            ],
            [
                "the teacher",
                "feed the class fish",
                "the fish swam slowly and looked at {them} with big eyes",
                "gave him food, cleaned the glass, and read him a story",
                "the fish made three bubbles and danced",
            ],
            [
                "the neighbour",
                "keep the fire burning in the stove",
                "the stove was cold and there was ice on the window",
                "fetched wood and blew on the last spark until it glowed",
                "the fire crackled and the room was warm again",
            ],
            [
                "the postman",
                "bring a letter to the mayor before evening",
                "the letter was still lying under the hat, and the sun was low",
                "ran and ran, over the hill and through the mud",
                "the mayor opened the letter just in time. It said: Please come to dinner at seven",
            ],
        ],
    );
    opening(
        teller,
        "[liked to say yes to everything|always meant well, but often forgot things|loved to play more than anything]",
    );
    teller.say("{one_day} {owner} asked {them} for help. [<Will you {task}?>|<Could you {task}?>|<Can you {task}? It is important.>] [<I promise,> said {hero}.|<Yes, I promise!> said {hero}, and {they} meant it.|<You can count on me,> said {hero}. <I promise.>]");
    teller.paragraph();
    teller.set(
        "game",
        "[hide and seek|pirates|catch|a game with marbles|kings and queens|leapfrog]",
    );
    teller.say("But then {friend_full} came by. [<Come and play {game}!> said {friend}.|<Do you want to play {game}?> asked {friend}.|<We are playing {game}! Are you coming?> called {friend}.] {Hero} [thought of the promise, but only for a moment|looked back once|wanted to say no]. [<Just a little while,> {they} said.|<Five minutes,> {they} said. <Not more.>|<Only one game,> {they} said.]");
    teller.say("One game became two, and two became ten. [?They laughed and ran and forgot the time.|It was so much fun!|The hours flew away like birds.] [Then {hero} stopped.|Suddenly {hero} stood still.|Then a cold feeling came into {their} belly.] <[My promise|I promised|Oh no, I forgot]!> {they} cried.");
    teller.paragraph();
    teller.say("{They} ran [back as fast as {they} could|all the way without stopping]. [?It was too late.|Oh dear!|What {they} saw made {them} very sad.] {Bad}. [?<It is my fault,> said {hero}.|{Hero} wanted to hide. But hiding would not help.|<I should have kept my word,> {they} said.]");
    teller.say("So {hero} {fix}. {Friend} came and helped. At last {good}.");
    teller.paragraph();
    teller.say("[?Then {hero} told {owner} everything.|When {owner} came, {hero} told the truth.|{Hero} did not keep it secret. {They} told {owner} the whole story.] [<You forgot,> said {owner}. <But you made it good again. That is not easy.>|<Thank you for telling me,> said {owner}.|<Everybody forgets,> said {owner}. <What counts is what you do next.>]");
    teller.say("[From then on, {they} did the promise first and the playing after.|The next day {hero} tied a knot in {their} handkerchief. And {they} did not forget.|And when {friend} called again, {hero} said, <First my promise, then our game!>|A promise is small to say and big to keep.]");
}

/// A boaster loses a contest and learns something.
pub fn boast(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG]);
    friend(teller, &person);
    teller.facts(
        ["best", "contest", "mishap", "quiet", "trait"],
        &[
            [
                "the fastest runner",
                "a race around the lake",
                "looked back to laugh, and ran right into a haystack",
                "kept on running, one step after another",
                "steady",
            ],
            [
                "the best swimmer",
                "a race across the river",
                "waved to the crowd for so long that the river carried {them} away",
                "swam quietly and looked only at the other side",
                "calm",
            ],
            [
                "the strongest",
                "a contest to pull the big cart up the hill",
                "pulled so wildly that the rope snapped and {they} sat down in a puddle",
                "pulled slowly and put a stone behind the wheel at every stop",
                "clever",
            ],
            [
                "the best cook",
                "a soup contest",
                "was so busy talking that {they} took sugar for salt",
                "tasted the soup with a small spoon after every carrot",
                "careful",
            ],
            [
                "the best singer",
                "a song contest",
                "sang so high and so loud that {their} voice went away",
                "sang a simple lullaby from the heart",
                "gentle",
            ],
            [
                "the best jumper",
                "a jumping contest over the stream",
                "bowed so deeply before the jump that {they} fell into the water",
                "measured the stream with one eye and jumped just far enough",
                "careful",
            ],
            [
                "the best dancer",
                "a dance contest in the barn",
                "turned around so many times that {they} got dizzy and danced into the jam table",
                "danced a small dance and smiled at everyone",
                "quiet",
            ],
            [
                "the best painter",
                "a picture contest at school",
                "wanted the biggest picture of all and ran out of paint before the sky",
                "painted one small bird, with every feather",
                "patient",
            ],
        ],
    );
    opening(
        teller,
        "[boasted from morning till night|thought {they} was {best} of all]",
    );
    teller.say("[<I am {best} in the world!> {they} said at breakfast. <I am {best} in the world!> {they} said at dinner.|<Nobody is better than me,> said {hero}. <I am {best} there is!>|<I am {best} far and wide!> {they} told the trees, the clouds and the cows.]");
    teller.paragraph();
    teller.say("{one_day} there was {contest}. [?Everybody came to watch.|The first prize was a huge pumpkin.|The whole town was there, with flags and lemonade.|The prize was a cake as big as a wheel.]");
    teller.say("[Only {friend_full} wanted to try against {hero}.|{Friend_full} came too.|{Friend_full} stood next to {hero} and said nothing.] [?<You?> laughed {hero}. <You should go home and sleep!>|<Against me you have no chance,> said {hero}.|<Poor {friend},> said {hero}. <You will come in last.>] [?<We will see,> said {friend}.|<I will just do my best,> said {friend}.|{Friend} only smiled.]");
    teller.paragraph();
    teller.say("[?Ready, steady, go!|One, two, three, go!|A bell rang, and it began.] [?At first {hero} was far ahead.|{Hero} started like the wind.|Everybody looked at {hero}, and {hero} liked that.] <Look at me!> {they} called. But {hero} {mishap}.");
    teller.say("And {friend}? {Friend} {quiet}. [And so {friend} won!|And that was enough. {Friend} won!|When it was over, {friend} had won.] [?The crowd clapped and cheered.|Hats flew into the air.|Even the cows cheered.]");
    teller.paragraph();
    teller.say("{Hero} [wanted to hide in a hole|felt very small|looked at the ground]. [But {friend} came over.|Then {friend} sat down next to {them}.] [<You are good,> said {friend}. <But it is more fun when you do not shout.>|<Come,> said {friend}. <We will share the prize.>|<I was lucky,> said {friend}. <Will you show me how you do it?>]");
    teller.say("{Hero} [swallowed|thought for a while|blushed]. [<You were better today,> {they} said, and that was the hardest thing {they} had ever said.|<Well done,> {they} said, and {they} meant it.|<You were very {trait},> {they} said. <I want to learn that too.>] [After that, {they} boasted only once a week.|From then on, they practised together.|And the two of them became good friends.|It is fine to be good at something. It is better to be kind as well.]");
}

/// A small fib grows until the truth lets the air out.
pub fn fib(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.facts(
        ["did", "blame", "sign", "owner"],
        &[
            [
                "ate the whole plum cake",
                "a hungry bear",
                "there were crumbs on {their} chin",
                "the cook",
            ],
            [
                "broke the blue jug",
                "the wind",
                "there was a piece of the jug in {their} pocket",
                "the old aunt",
            ],
            [
                "stepped on the red tulips",
                "a herd of cows",
                "there was a tulip stuck to {their} foot",
                "the gardener",
            ],
            [
                "spilled ink on the big map",
                "a giant squid",
                "{their} nose was blue with ink",
                "the captain",
            ],
            [
                "ate all the cherries",
                "a flock of a thousand birds",
                "{their} mouth was as red as a cherry",
                "the farmer",
            ],
            [
                "drew a cat on the white wall",
                "a painter who came in the night",
                "there was chalk on all {their} fingers",
                "the mayor",
            ],
            [
                "lost the church key",
                "a thief with a long beard",
                "there was a bump like a key in {their} hat",
                "the bell ringer",
            ],
            [
                "licked the cream off the pie",
                "a cloud that had come in through the window",
                "there was cream on the tip of {their} nose",
                "the baker",
            ],
        ],
    );
    opening(
        teller,
        "[could tell wonderful stories|never did anything bad on purpose|was good on most days]",
    );
    teller.say(
        "But [one {hour}|one {weather} {hour}|one day] {hero} {did}. [?It just happened.|Oh dear!|It was over before {they} could think.|]",
    );
    teller.say("[<Who was it?> asked {owner}.|<Who did this?> cried {owner}.|Then {owner} came in. <What happened here?>] {Hero} [turned hot and cold|looked at the ceiling|swallowed]. [<It was {blame},> {they} said.|<I saw it! It was {blame},> {they} said.|<Well,> {they} said. <It was {blame}.>]");
    teller.paragraph();
    teller.say("[{Owner} told the neighbour, and the neighbour told the postman.|Soon everybody in town was talking about it.|The story ran through the town faster than a horse.] [?Somebody locked the gates.|People closed their windows.|Three men with nets walked through the streets.] [?The children were not allowed to play outside.|Nobody went out without a stick.|Even the chickens wore helmets.] <Have you seen anything?> everyone asked.");
    teller.say("{Hero} felt [sick|worse and worse|smaller and smaller]. The fib had been so little, and now it was as big as [a house|a ship|a mountain]. [?In bed it sat on {their} chest.|{They} could not eat and could not sleep.|{They} could not look at anyone.]");
    teller.paragraph();
    teller.say("[Then {friend_full} came by and|In the evening {friend_full} came by and|{Hero} met {friend_full}, who] looked at {them} closely, for {sign}. [<Is there something you want to tell me?> asked {friend}.|{Friend} did not laugh. <The truth is like a cold bath,> {fthey} said. <Jump in, and it is over.>|<If you want to tell them, I will come with you,> said {friend}.]");
    teller.say("So {hero} went to {owner}. <It was not {blame},> {they} said. <It was me. I am sorry.> [?It was very quiet.|A clock ticked.|{Owner} looked at {them} for a long time.] [<That was brave,> said {owner}. <Now help me make it good again.>|<I thought so,> said {owner}. <But I waited for you to tell me.>|Then {owner} began to laugh. <What a story!>]");
    teller.say("[{Hero} worked the whole day to make up for it, and {friend} helped.|That night {hero} slept like a stone.|And the heavy feeling flew away like a bird.|The truth is small and light, and you can carry it anywhere.|After that, {hero} told {their} stories only at bedtime, where stories belong.]");
}
