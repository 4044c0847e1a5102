//! Plots about being kind: help that comes back, strangers, trades.

use crate::cast::{FANTASTIC, WORKERS, YOUNG, friend, hero, opening};
use crate::teller::Teller;

/// A small creature is helped and later helps with the one thing it can do.
pub fn small_friend(teller: &mut Teller) {
    hero(teller, &[YOUNG, FANTASTIC, WORKERS]);
    teller.facts(
        ["small", "trouble", "rescue", "danger", "skill"],
        &[
            [
                "ant",
                "had fallen into a puddle",
                "put a leaf into the water like a boat",
                "dropped {their} house key into a crack between two stones",
                "crept into the crack and pushed the key out with all her sisters",
            ],
            [
                "spider",
                "was caught in a bucket",
                "turned the bucket over gently",
                "tore a big hole in {their} best coat",
                "spun the finest thread and closed the hole",
            ],
            [
                "firefly",
                "was stuck in a jar",
                "opened the lid",
                "was caught by the night in the middle of the forest",
                "called a hundred cousins, and they made a shining path to the door",
            ],
            [
                "bee",
                "was too tired to fly",
                "gave the {small} a drop of sugar water",
                "wanted to bake a cake, but had nothing sweet in the house",
                "showed the way to a tree full of honey",
            ],
            [
                "worm",
                "lay on the hot road",
                "carried the {small} to the cool earth",
                "planted beans, but the ground was as hard as stone",
                "dug up and down all night until the earth was soft",
            ],
            [
                "sparrow",
                "had a thorn in her foot",
                "pulled the thorn out",
                "was locked out of the house in the rain",
                "flew in through the chimney and opened the window",
            ],
            [
                "beetle",
                "was lying on his back",
                "turned the {small} around very gently",
                "got a big stone in front of the door and could not get out",
                "came with forty friends, and they rolled the stone away",
            ],
            [
                "duckling",
                "was lost in the reeds",
                "took the {small} back to her mother",
                "lost a shoe in the deep pond",
                "dived down, down, down, and came up with the shoe on her head",
            ],
            [
                "squirrel",
                "had his tail caught in a fence",
                "bent the fence open",
                "had nothing left to eat in the winter",
                "brought nuts every morning until the snow was gone",
            ],
            [
                "caterpillar",
                "was about to be stepped on",
                "put the {small} on a green leaf",
                "had to find one special flower for a sick friend",
                "came back as a butterfly and knew where every flower grew",
            ],
            [
                "moth",
                "was flying into a hot lamp",
                "blew out the lamp",
                "could not find the way to bed when all candles were gone",
                "flew ahead in the moonlight with her silver wings",
            ],
            [
                "cricket",
                "had lost his voice",
                "made the {small} a cup of warm tea",
                "had not slept for three nights",
                "sat at the window and sang the softest song in the world",
            ],
        ],
    );
    opening(
        teller,
        "[was kind to everyone|never hurt anything, not even a fly|said good morning to every flower|liked to walk slowly and look at small things]",
    );
    teller.say("{one_day} {hero} saw {a small} who {trouble}. [?<Help!> cried the {small} in a tiny voice.|<Please help me!> said the {small}.|<Is anybody there?> called the {small}.]");
    teller.say("[?<Do not be afraid,> said {hero}.|<I will help you,> said {hero}.|<Hold still,> said {hero}.] {They} {rescue}.");
    teller.say("[<Thank you,> said the {small}. <One day I will help you too.>|<I will never forget it,> said the {small}. <When you need me, just call.>|<You are a friend,> said the {small}. <I am small, but I have a good memory.>]");
    teller.say("[?{Hero} smiled. How could such {a small} ever help?|<How nice,> said {hero}, but {they} did not quite believe it.|{Hero} laughed. <You are so very little!>|]");
    teller.paragraph();
    teller.say("[Some weeks later,|Not long after that,|Time went by. Then one day,|Summer came and went. Then] {hero} {danger}. [{They} tried this and {they} tried that, but nothing worked.|<What shall I do now?> {they} said.|{They} thought and thought, but it was no use.|{They} sat down and sighed from the bottom of {their} heart.|Everybody was sorry, but nobody could help.]");
    teller.say("[Then {they} heard a tiny voice.|<Did somebody sigh?> asked a small voice.|Something tickled {their} ear.|<Hello again!> said a voice near {their} foot.] It was the {small}! [<Now it is my turn,> said the {small}.|<I told you I would come,> said the {small}.|<Leave it to me,> said the {small}.] And the {small} {skill}.");
    teller.paragraph();
    teller.say("[?<I was wrong,> said {hero}. <You are not little at all.>|<Thank you, thank you!> said {hero}.|{Hero} was so glad that {they} [danced around the table|kissed the {small} on the nose|forgot to close {their} mouth].]");
    teller.say("[?Since then, the {small} comes for tea every Sunday.|No friend is too small to help.|From that day on, they were the best of friends.|A little kindness goes a long way, and sometimes it comes back.|And they remained friends, the big one and the little one.]");
}

/// Lost on the way; a creature that was treated well shows the way home.
pub fn lost_way(teller: &mut Teller) {
    hero(teller, &[YOUNG]);
    teller.facts(
        ["place", "look", "goal"],
        &[
            ["the deep forest", "Every tree looked the same", "mushrooms"],
            [
                "the foggy moor",
                "The fog was as thick as milk",
                "blueberries",
            ],
            [
                "the long valley",
                "Every hill looked like the hill before",
                "wild flowers",
            ],
            [
                "the old garden",
                "Every hedge looked like every other hedge",
                "the first strawberries",
            ],
            [
                "the high mountains",
                "Every rock looked like a sleeping bear",
                "shiny stones",
            ],
            [
                "the wide cornfield",
                "The corn stood higher than a house",
                "blue feathers",
            ],
        ],
    );
    teller.facts(
        ["guide", "guidehow"],
        &[
            ["owl", "flew from branch to branch and called at every turn"],
            ["hare", "hopped ahead and waited at every corner"],
            [
                "crow",
                "flew in front and cawed twice for left and once for right",
            ],
            [
                "deer",
                "walked in front with her white tail shining like a lamp",
            ],
            [
                "bat",
                "flew little circles, because bats can hear where the houses are",
            ],
            [
                "old dog",
                "put his nose to the ground and followed the smell of dinner",
            ],
            [
                "stork",
                "looked over everything with his long neck and marched ahead",
            ],
        ],
    );
    teller.set(
        "snack",
        "[cheese sandwich|pancake|sweet bun|big apple|plum cake|warm potato|jam roll|honey bun]",
    );
    teller.set(
        "home2",
        "[{their} mother|{their} father|{their} grandmother|{their} big sister]",
    );
    opening(
        teller,
        "[liked to go on long walks|wanted to see the whole world|was very brave, or almost very brave|always knew the way, or so {they} said]",
    );
    teller.say("{one_day} {hero} went into {place} to look for {goal}. In {their} [bag|pocket|basket] was {a snack}. [?<Be home before dark,> said {home2}.|<Do not go too far,> said {home2}.|<Look where you are going,> said {home2}.]");
    teller.say("[On the way|At the first bend|After a while], {they} met {a guide} who looked hungry. {Hero} [took out the {snack} and gave the bigger half away|said good day and shared the {snack}|was hungry too, but {they} shared the {snack}]. <Thank you,> said the {guide}.");
    teller.paragraph();
    teller.say("{Hero} walked and walked and found [lots of|more and more|plenty of] {goal}. But when {they} looked up, [the sun was going down|it was getting dark|the sky was already red]. {Look}. [?<Where is the path?> {they} asked.|<I am lost,> {they} whispered.|<Left?> {they} said. <Or right? Or back?>]");
    teller.say("{They} [went left, and came to a big stone|followed a stream, but it only led to a swamp|ran straight ahead and came back to the same place]. {They} [went right, and came to a ditch|called, but only the echo called back|climbed on a rock, but could see nothing].");
    teller.paragraph();
    teller.say("[?Then something moved.|There was a rustle.|<You are walking in circles,> said a voice.] It was the {guide}! [<You shared with me,> said the {guide}. <Now I will show you the way.>|<Come with me,> said the {guide}. <I never forget a good meal.>] And the {guide} {guidehow}.");
    teller.say("[At last they saw a light in a window.|Soon {hero} could smell dinner.|And there, behind the last turn, was home.] {Home2} [opened the door and hugged {them}|was standing at the door with a lantern|ran out and held {them} tight]. [?From then on, {hero} always took two snacks, one to eat and one to share.|And there was soup for {hero}, and there was soup for the {guide}.|And the next time, {they} looked back at the path now and then.|Somebody who shares is never lost for long.]");
}

/// A stranger is left out until everybody needs what the stranger can do.
pub fn newcomer(teller: &mut Teller) {
    let person = hero(teller, &[FANTASTIC, YOUNG]);
    friend(teller, &person);
    teller.facts(
        ["odd", "mock", "need", "solve"],
        &[
            ["had the loudest voice anyone had ever heard", "You hurt our ears", "the smallest children did not come back from the hills, and nobody could hear them in the fog", "called so loudly that the children heard it and followed the voice home"],
            ["sneezed all the time", "You will blow our hats away", "a fire started in the baker's roof", "took a deep breath and sneezed the fire out like a candle"],
            ["was very, very slow", "You are too slow for our games", "somebody had to carry a tray of a hundred eggs to the market", "carried the eggs so slowly and carefully that not one of them broke"],
            ["could not stop asking questions", "You make our heads hurt", "a stranger came and wanted to buy the town well for one shiny button", "asked so many questions that the cheat became dizzy and ran away"],
            ["hummed from morning till night", "Can you not be quiet", "the baby of the baker cried and cried, and nobody in town could sleep", "hummed at the cradle until the baby slept, and the baker too"],
            ["had very big feet", "You will step on our toes", "the snow was so deep that nobody could get to the shop", "walked up and down with those big feet until there was a good path"],
            ["collected old string", "Who needs old string", "the bridge broke, and the bread cart could not come over", "tied all the string into one strong rope and pulled the bread across"],
            ["liked to count everything", "Nobody wants to hear about numbers", "the school went to the lake, and nobody knew if all the children were there", "counted, found that one was missing, and woke the sleepyhead under the boat"],
            ["talked to plants", "Plants cannot hear you", "all the cabbages in town hung their heads, and nobody knew why", "listened to the cabbages and found the hole where the water ran away"],
        ],
    );
    opening(
        teller,
        "[was new in town and {odd}|{odd} and had just moved to a new town]",
    );
    teller.say("[<{mock}!> said {friend_full}, and the others laughed.|Nobody wanted to play with {them}. <{mock}!> said {friend_full}.|When {they} came to play, {friend_full} shook {ftheir} head. <{mock}!> said {friend}.]");
    teller.say("So {hero} [sat alone on the wall and watched|played alone behind the school|ate lunch alone under a tree|went home and looked out of the window]. [?{They} tried to be like the others, but it did not work.|{They} was sad, but {they} did not say so.|<Maybe tomorrow,> {they} said every evening.|{They} wished for just one friend.]");
    teller.paragraph();
    teller.say("{one_day} {need}.");
    teller.say("[?The mayor ran to the left and the mayor ran to the right.|<What shall we do?> everyone asked.|Everybody talked at once.|The teacher did not know what to do, and the mayor did not know either.] [?Even {friend} had no idea.|{Friend} tried to help, but only fell over a bucket.|{Friend} was [scared|worried] too.]");
    teller.say("[<Let me try,> said {hero}.|Then {hero} stepped forward. <I think I can help,> {they} said.|<I can do that,> said a voice from behind. It was {hero}.|{Hero} did not wait to be asked.] And {they} {solve}.");
    teller.paragraph();
    teller.say("[?For a moment everyone was silent. Then they clapped.|<Three cheers for {hero}!> shouted the mayor.|Everybody cheered, and {hero} turned as red as a tomato.]");
    teller.say("{Friend} came over and looked at {ftheir} feet. [<I am sorry,> {fthey} said. <Would you like to play with us?>|<I was not nice to you,> {fthey} said. <Can we be friends?>|<I was wrong,> {fthey} said. <Will you sit next to me tomorrow?>] [?<Yes!> said {hero}.|<I would love to,> said {hero}.|{Hero} smiled. <I thought you would never ask,> {they} said.]");
    teller.say("[And {hero} never ate lunch alone again.|What makes you different may be just what the others need.|And from that day on, {they} was not new any more.|It is good that not everybody is the same.]");
}

/// A chain of trades, with a refrain, that ends where it began or better.
pub fn trade(teller: &mut Teller) {
    hero(teller, &[YOUNG, FANTASTIC]);
    teller.facts(
        ["want", "wanted"],
        &[
            ["pie", "an apple pie"],
            ["flute", "a wooden flute"],
            ["boat", "a little boat"],
            ["lantern", "a red lantern"],
            ["pair of boots", "a pair of boots"],
            ["kite", "a kite with a long tail"],
            ["cake", "a cake with three cherries"],
            ["drum", "a big drum"],
        ],
    );
    teller.facts(
        ["owner", "o1"],
        &[
            ["tailor", "button"],
            ["snowman", "carrot"],
            ["fisherman", "bent pin"],
            ["shoemaker", "piece of leather"],
            ["old lady", "ball of wool"],
            ["painter", "blue feather"],
        ],
    );
    teller.facts(
        ["second", "o2"],
        &[
            ["miller", "sack"],
            ["washerwoman", "rope"],
            ["milkmaid", "bucket"],
            ["shepherd", "bell"],
            ["gardener", "watering can"],
        ],
    );
    teller.facts(
        ["third", "o3"],
        &[
            ["farmer", "pumpkin"],
            ["captain", "old sail"],
            ["cook", "copper pot"],
            ["beekeeper", "jar of honey"],
            ["clown", "red nose"],
        ],
    );
    teller.set("seller", "[merchant|market woman|shopkeeper]");
    teller.set("swap", "[<Let us swap!>|<A fair trade!>|<I give you this, you give me that!>|<Let us trade!>|<This for that, and a wave of the hat!>]");
    opening(
        teller,
        "[wanted {wanted} more than anything|dreamed of {wanted}|wished for {wanted}]",
    );
    teller.say("But {they} had no money. {They} had only {a o1} [that {they} had found in the grass|from {their} grandmother|in {their} pocket]. [?<Never mind,> {they} said. <It is a start.>|<A start is a start,> {they} said.|So {they} went out into the world with it.]");
    teller.paragraph();
    teller.say("First {they} met {a owner}. <Oh, {a o1}! Just what I need,> said the {owner}, and gave {them} {a o2} for it. {swap} said {hero}.");
    teller.say("Then {they} met {a second}. <Oh, {a o2}! Just what I need,> said the {second}, and gave {them} {a o3} for it. {swap} said {hero}.");
    teller.say("Then {they} met {a third}. <Oh, {a o3}! Just what I need,> said the {third}. <[Mine is broken|Mine is gone|A goat ate mine].> And for the {o3}, {hero} got {wanted}. {swap} said {hero}.");
    teller.paragraph();
    teller.say("[?{Hero} danced all the way home.|What a day it had been!|{Hero} could not believe it.] [<All this for {a o1}!> {they} said.|<And it began with {a o1},> {they} said.|<Thank you, little {o1}!> {they} said.]");
    teller.say("[That evening {hero} invited them all, the {owner}, the {second} and the {third}.|And who came to visit the next day? The {owner}, the {second} and the {third}.|The next day {hero} showed the {want} to the {owner}, the {second} and the {third}.] [What one person does not need makes another one happy.|It was a very merry party.|And everyone had just what they needed.|Nobody had any money, and nobody missed it.]");
}
