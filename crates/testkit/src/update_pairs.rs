//! Facts that people state once and change later, each with a question that must be answered with
//! the newer value.

/// A value that is stated and later changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdatePair {
    /// The first statement.
    pub stated: &'static str,
    /// The later statement.
    pub changed: &'static str,
    /// The question after both.
    pub question: &'static str,
    /// The current value; empty if there is no new one.
    pub current: &'static str,
    /// The value before the change.
    pub old: &'static str,
}

/// A pair, in the order of its fields.
pub const fn pair(
    stated: &'static str,
    changed: &'static str,
    question: &'static str,
    current: &'static str,
    old: &'static str,
) -> UpdatePair {
    UpdatePair { stated, changed, question, current, old }
}

/// The pairs with which memory is measured end to end.
#[rustfmt::skip]
pub const UPDATE_PAIRS: &[UpdatePair] = &[
    // Times and records.
    pair("My 5k time is 27:12.", "I ran the 5k in 25:50 yesterday!", "What is my 5k time?", "25:50", "27:12"),
    pair("My marathon PB is 4:02:10.", "My new marathon personal best is 3:51:44.", "What is my marathon best?", "3:51:44", "4:02:10"),
    pair("My half marathon record is 1:58.", "I improved my half marathon record to 1:52.", "How fast is my half marathon?", "1:52", "1:58"),
    pair("My chess rating is 1420.", "My chess rating went up to 1510.", "What is my chess rating?", "1510", "1420"),
    pair("My bench press max is 70 kg.", "I got my bench press max up to 77.5 kg.", "How much do I bench?", "77.5 kg", "70 kg"),
    pair("My resting pulse is 64.", "My resting pulse is down to 58.", "What is my resting pulse?", "58", "64"),
    // Homes and addresses.
    pair("I live in Graz.", "I moved to Linz last month.", "Where do I live?", "Linz", "Graz"),
    pair("We live in Hamburg.", "We have just relocated to Bremen.", "Where do we live?", "Bremen", "Hamburg"),
    pair("My address is 14 Elm Street.", "My new address is 3 Harbour Lane.", "What is my address?", "3 Harbour Lane", "14 Elm Street"),
    pair("I'm living in Porto.", "I now live in Lisbon.", "Where am I living?", "Lisbon", "Porto"),
    pair("My parents live in Ulm.", "My parents moved to Kiel.", "Where do my parents live?", "Kiel", "Ulm"),
    pair("My office is on the third floor.", "My office is on the fifth floor now.", "Where is my office?", "fifth floor", "third floor"),
    // Work.
    pair("I work at Siemens.", "I left Siemens and joined Bosch.", "Who do I work for?", "Bosch", "Siemens"),
    pair("I work for Nordlicht.", "I started working at Seewind in March.", "Who is my employer?", "Seewind", "Nordlicht"),
    pair("I work as a nurse.", "I got promoted to head nurse.", "What is my job?", "head nurse", "nurse"),
    pair("I'm a software engineer.", "I'm now a product manager.", "What do I do for a living?", "product manager", "software engineer"),
    pair("My boss is Karen.", "My new boss is Pieter.", "Who is my boss?", "Pieter", "Karen"),
    pair("My salary is 3,200 euros.", "My salary was raised to 3,500 euros.", "What do I earn?", "3,500 euros", "3,200 euros"),
    pair("I work from home on Fridays.", "I work from home on Wednesdays now.", "When do I work from home?", "Wednesdays", "Fridays"),
    pair("My job title is junior analyst.", "My job title changed to senior analyst.", "What is my title?", "senior analyst", "junior analyst"),
    // People.
    pair("My girlfriend is Lena.", "Mira is my new girlfriend.", "Who is my girlfriend?", "Mira", "Lena"),
    pair("I'm single.", "I'm engaged now.", "Am I in a relationship?", "engaged", "single"),
    pair("My sister lives in Ghent.", "My sister moved to Antwerp.", "Where does my sister live?", "Antwerp", "Ghent"),
    pair("My husband works at Lidl.", "My husband works at Spar now.", "Where does my husband work?", "Spar", "Lidl"),
    pair("Our babysitter is Jule.", "Our babysitter is now Tomke.", "Who is our babysitter?", "Tomke", "Jule"),
    pair("My dentist is Dr. Brandt.", "I changed my dentist to Dr. Okafor.", "Who is my dentist?", "Okafor", "Brandt"),
    pair("My flatmate is Ravi.", "My flatmate is Joon instead of Ravi.", "Who is my flatmate?", "Joon", "Ravi"),
    pair("My son is 6 years old.", "My son is 7 years old now.", "How old is my son?", "7", "6"),
    // Pets and ownership.
    pair("I have two cats.", "We got a third cat.", "How many cats do I have?", "three", "two"),
    pair("My dog is called Rex.", "I renamed my dog to Rufus.", "What is my dog called?", "Rufus", "Rex"),
    pair("I drive a Skoda.", "I traded the Skoda in for a Polestar.", "What do I drive?", "Polestar", "Skoda"),
    pair("My car is a blue Golf.", "My new car is a red Fiat.", "What car do I have?", "red Fiat", "blue Golf"),
    pair("My phone is a Pixel 6.", "I bought a new phone, a Fairphone 5.", "Which phone do I have?", "Fairphone 5", "Pixel 6"),
    pair("My laptop is a ThinkPad.", "I replaced my ThinkPad with a MacBook.", "Which laptop do I use?", "MacBook", "ThinkPad"),
    pair("We have five chickens.", "We have eight chickens now.", "How many chickens do we have?", "eight", "five"),
    pair("My bike is a Canyon.", "I swapped my Canyon for a Brompton.", "Which bike do I ride?", "Brompton", "Canyon"),
    // Diets, drinks, health.
    pair("I'm vegetarian.", "I'm vegan now.", "What is my diet?", "vegan", "vegetarian"),
    pair("I am on a keto diet.", "I switched to a paleo diet.", "Which diet do I follow?", "paleo", "keto"),
    pair("I drink three coffees a day.", "I now drink one coffee a day.", "How much coffee do I drink?", "one coffee", "three coffees"),
    pair("I weigh 82 kg.", "I weigh 78 kg now.", "What do I weigh?", "78 kg", "82 kg"),
    pair("My blood pressure medication is ramipril.", "My doctor switched me, my blood pressure medication is now candesartan.", "What do I take for blood pressure?", "candesartan", "ramipril"),
    pair("My dose is 20 mg.", "The dose was increased to 40 mg.", "What is my dose?", "40 mg", "20 mg"),
    pair("I sleep six hours a night.", "These days I sleep seven hours a night.", "How long do I sleep?", "seven hours", "six hours"),
    // Deadlines and meetings.
    pair("The project deadline is 3 May.", "The project deadline was moved to 17 May.", "When is the project deadline?", "17 May", "3 May"),
    pair("Our meeting is on Tuesdays at 10.", "The meeting was moved to Thursdays at 9.", "When is our meeting?", "Thursdays at 9", "Tuesdays at 10"),
    pair("My flight leaves at 9:40.", "My flight has been rescheduled to 11:15.", "When does my flight leave?", "11:15", "9:40"),
    pair("My dentist appointment is on 4 June.", "I moved my dentist appointment to 11 June.", "When is my dentist appointment?", "11 June", "4 June"),
    pair("The wedding is on 12 September.", "We pushed the wedding back to 3 October.", "When is the wedding?", "3 October", "12 September"),
    pair("Our standup is at 9:15.", "Our standup is at 9:45 as of next week.", "When is our standup?", "9:45", "9:15"),
    pair("My thesis is due on 1 July.", "My thesis deadline got extended to 15 August.", "When is my thesis due?", "15 August", "1 July"),
    pair("My shift starts at 6.", "My shift starts at 8 now.", "When does my shift start?", "8", "6"),
    pair("The interview is on Monday.", "They moved the interview to Wednesday.", "When is the interview?", "Wednesday", "Monday"),
    pair("My piano lesson is on Mondays.", "My piano lesson is on Saturdays instead of Mondays.", "When is my piano lesson?", "Saturdays", "Mondays"),
    // Prices and money.
    pair("The rent is 900 euros a month.", "The rent went up to 960 euros a month.", "What is the rent?", "960 euros", "900 euros"),
    pair("My gym membership costs 30 euros.", "My gym membership is 35 euros now.", "What does my gym cost?", "35 euros", "30 euros"),
    pair("I pay 12 euros a month for Netflix.", "I now pay 15 euros a month for Netflix.", "What do I pay for Netflix?", "15 euros", "12 euros"),
    pair("Our holiday budget is 2000 euros.", "We cut our holiday budget to 1500 euros.", "What is our holiday budget?", "1500", "2000"),
    pair("My electricity bill is 80 euros.", "My electricity bill rose from 80 euros to 95 euros.", "What is my electricity bill?", "95 euros", "80 euros"),
    pair("I earn 18 euros an hour.", "I earn 20 euros an hour now.", "What do I earn per hour?", "20 euros", "18 euros"),
    pair("My mortgage rate is 3.1 percent.", "My mortgage rate dropped to 2.8 percent.", "What is my mortgage rate?", "2.8 percent", "3.1 percent"),
    // Tools.
    pair("My editor is Vim.", "I switched from Vim to Helix.", "Which editor do I use?", "Helix", "Vim"),
    pair("I use Chrome.", "I've switched to Firefox.", "Which browser do I use?", "Firefox", "Chrome"),
    pair("I use Notion for notes.", "I use Obsidian for notes now.", "What do I use for notes?", "Obsidian", "Notion"),
    pair("I use Duolingo to learn Greek.", "I stopped using Duolingo.", "Do I use Duolingo?", "", "Duolingo"),
    pair("Our database is MySQL.", "We migrated from MySQL to Postgres.", "Which database do we use?", "Postgres", "MySQL"),
    pair("I bank with Revolut.", "I now bank with Wise.", "Where do I bank?", "Wise", "Revolut"),
    pair("My keyboard layout is QWERTY.", "My keyboard layout is no longer QWERTY but Colemak.", "What is my keyboard layout?", "Colemak", "QWERTY"),
    // Schedules and habits.
    pair("I get up at 6.", "Since May I get up at 7.", "When do I get up?", "7", "6"),
    pair("I go to bed at 11.", "I go to bed at 10 now.", "When do I go to bed?", "10", "11"),
    pair("I go to the gym twice a week.", "I go to the gym four times a week now.", "How often do I go to the gym?", "four times a week", "twice a week"),
    pair("I call my mum on Sundays.", "I call my mum on Saturdays now.", "When do I call my mum?", "Saturdays", "Sundays"),
    pair("I smoke ten cigarettes a day.", "I quit smoking.", "Do I smoke?", "", "ten cigarettes"),
    pair("I commute by car.", "I commute by train these days.", "How do I commute?", "train", "car"),
    pair("I shop at Lidl.", "Nowadays I shop at Hofer.", "Where do I shop?", "Hofer", "Lidl"),
    pair("I'm training for a marathon.", "I'm training for a triathlon now.", "What am I training for?", "triathlon", "marathon"),
    pair("I play the violin.", "I no longer play the violin.", "Do I play the violin?", "", "violin"),
    // Sizes, numbers, codes.
    pair("My shoe size is 42.", "My shoe size is 43 now.", "What is my shoe size?", "43", "42"),
    pair("My phone number is 0664 111222.", "My new number is 0699 333444.", "What is my phone number?", "0699 333444", "0664 111222"),
    pair("My email is ada@alpha.example.", "I changed my email to ada@beta.example.", "What is my email?", "ada@beta.example", "ada@alpha.example"),
    pair("The gate code is 4471.", "The code for the gate was changed to 9025.", "What is the gate code?", "9025", "4471"),
    pair("My username is moss_fox.", "My username is fern_fox now.", "What is my username?", "fern_fox", "moss_fox"),
    pair("My locker number is 118.", "My new locker number is 204.", "What is my locker number?", "204", "118"),
    // Favourites and preferences.
    pair("My favourite colour is blue.", "My favourite colour is green now.", "What is my favourite colour?", "green", "blue"),
    pair("My favourite band is Wilco.", "Actually, Lankum is my favourite band now.", "What is my favourite band?", "Lankum", "Wilco"),
    pair("My favourite restaurant is Da Enzo.", "My new favourite restaurant is Kohlhaas.", "What is my favourite restaurant?", "Kohlhaas", "Da Enzo"),
    pair("I prefer tea.", "I prefer coffee instead of tea.", "What do I prefer to drink?", "coffee", "tea"),
    // Language, plans, endings.
    pair("From now on answer in German.", "From now on answer in English.", "Which language shall be used?", "English", "German"),
    pair("I have a car.", "I sold my car.", "Do I have a car?", "", "car"),
    pair("I'm learning Spanish.", "I stopped learning Spanish.", "What am I learning?", "", "Spanish"),
    pair("My hair colour is brown.", "I changed my hair colour to red.", "What is my hair colour?", "red", "brown"),
    pair("Our team lead is Oskar.", "Our team lead is Priya, not Oskar any more.", "Who leads our team?", "Priya", "Oskar"),
    pair("My seat is 14A.", "My seat was changed to 22C.", "What is my seat?", "22C", "14A"),
];

/// Pairs in other phrasing, written after the rules, to measure how well the rules generalise.
#[rustfmt::skip]
pub const OTHER_UPDATE_PAIRS: &[UpdatePair] = &[
    pair("I usually park on level 2.", "They closed level 2, so I park on level 4 now.", "Where do I park?", "level 4", "level 2"),
    pair("My daughter is in third grade.", "My daughter is in fourth grade now.", "Which grade is my daughter in?", "fourth grade", "third grade"),
    pair("Our cleaning lady comes on Wednesdays.", "Our cleaning lady comes on Fridays from now on.", "When does the cleaning lady come?", "Fridays", "Wednesdays"),
    pair("I'm reading Middlemarch.", "I finished Middlemarch, I'm reading Persuasion now.", "What am I reading?", "Persuasion", "Middlemarch"),
    pair("My monthly savings goal is 300 euros.", "I've raised my monthly savings goal to 450 euros.", "What is my savings goal?", "450 euros", "300 euros"),
    pair("The kickoff call is at 2 pm.", "The kickoff call got pushed to 4 pm.", "When is the kickoff call?", "4 pm", "2 pm"),
    pair("My Wi-Fi network is called Hobbiton.", "I renamed our Wi-Fi network to Rivendell.", "What is the wifi called?", "Rivendell", "Hobbiton"),
    pair("I'm a vegetarian.", "I started eating meat again, so I'm no longer vegetarian.", "Am I vegetarian?", "", "vegetarian"),
    pair("My landlord is Mr. Pohl.", "We have a new landlord, Mrs. Winter.", "Who is my landlord?", "Winter", "Pohl"),
    pair("I take vitamin D every morning.", "I take vitamin D every evening now.", "When do I take vitamin D?", "evening", "morning"),
    pair("My running shoes are Asics.", "My running shoes are Brooks these days.", "What are my running shoes?", "Brooks", "Asics"),
    pair("My PIN is 4455.", "My PIN is 8122 now, I had to change it.", "What is my PIN?", "8122", "4455"),
    pair("We meet every Monday.", "We meet every Thursday now.", "When do we meet?", "Thursday", "Monday"),
    pair("Our dog weighs 18 kg.", "Our dog weighs 21 kg by now.", "How heavy is our dog?", "21 kg", "18 kg"),
    pair("My best friend is Tilda.", "My best friend these days is Noor.", "Who is my best friend?", "Noor", "Tilda"),
    pair("I pay 45 euros for my phone plan.", "My phone plan only costs 20 euros now.", "What does my phone plan cost?", "20 euros", "45 euros"),
    pair("I'm studying biology.", "I changed my major from biology to chemistry.", "What do I study?", "chemistry", "biology"),
    pair("My train leaves from platform 3.", "My train leaves from platform 7 today and from now on.", "Which platform?", "platform 7", "platform 3"),
    pair("I do yoga on Mondays.", "I do yoga on Tuesdays instead.", "When do I do yoga?", "Tuesdays", "Mondays"),
    pair("My car insurance is with Allianz.", "I moved my car insurance to Generali.", "Who insures my car?", "Generali", "Allianz"),
    pair("My hourly rate is 60 euros.", "As of January my hourly rate is 75 euros.", "What is my hourly rate?", "75 euros", "60 euros"),
    pair("I have one child.", "I have two children now.", "How many children do I have?", "two", "one"),
    pair("My mother is in hospital in Steyr.", "My mother was transferred to Wels.", "Where is my mother?", "Wels", "Steyr"),
    pair("My default language is Python.", "My default language is Rust now.", "What is my default language?", "Rust", "Python"),
    pair("Our house has three bedrooms.", "Our house has four bedrooms since the extension.", "How many bedrooms do we have?", "four", "three"),
    pair("I wear size M.", "I wear size S now.", "What size do I wear?", "size S", "size M"),
    pair("My desk is number 12.", "I got a new desk, number 31.", "Which desk is mine?", "31", "12"),
    pair("The project budget is 40k.", "The project budget has been cut from 40k to 32k.", "What is the project budget?", "32k", "40k"),
    pair("My favorite tea is Earl Grey.", "I've gone off Earl Grey, my favorite tea is rooibos now.", "What is my favourite tea?", "rooibos", "Earl Grey"),
    pair("I live with my parents.", "I live with Sara now.", "Who do I live with?", "Sara", "parents"),
    pair("My yoga teacher is Ines.", "Ines left; our new yoga teacher is Malik.", "Who is my yoga teacher?", "Malik", "Ines"),
    pair("My goal is to lose 5 kg.", "My goal is to lose 8 kg now.", "What is my goal?", "8 kg", "5 kg"),
    pair("I'm on the red team.", "I'm on the blue team now.", "Which team am I on?", "blue team", "red team"),
    pair("I have an iPhone 12.", "I upgraded to an iPhone 15.", "Which phone do I have?", "iPhone 15", "iPhone 12"),
    pair("The release date is 1 March.", "Correction: the release date is 8 March.", "When is the release?", "8 March", "1 March"),
    pair("My password manager is LastPass.", "I've moved from LastPass to Bitwarden.", "Which password manager do I use?", "Bitwarden", "LastPass"),
    pair("I swim 20 laps.", "I'm up to 30 laps when I swim, so I swim 30 laps.", "How many laps do I swim?", "30 laps", "20 laps"),
    pair("My doctor is Dr. Haas.", "My doctor retired, and my new doctor is Dr. Lindt.", "Who is my doctor?", "Lindt", "Haas"),
    pair("Our anniversary dinner is booked for 7 pm.", "They changed our anniversary dinner to 8:30 pm.", "When is our anniversary dinner?", "8:30 pm", "7 pm"),
    pair("I subscribe to the Guardian.", "I cancelled the Guardian.", "Do I subscribe to the Guardian?", "", "Guardian"),
];
