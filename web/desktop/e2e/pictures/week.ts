/** A household's conversations of a week, which also fill memory. */

/** An exchange: days ago, time of day, message, answer. */
export type Exchange = { daysAgo: number; at: string; said: string; answered: string };

/** A conversation; its first message is its title. */
export type PastConversation = { exchanges: readonly Exchange[] };

export const WEEK: readonly PastConversation[] = [
  {
    exchanges: [
      {
        daysAgo: 6,
        at: "20:12",
        said: "What should we book first for May? My sister Ines lives in Lisbon.",
        answered:
          "The flights: in that week they go up fastest. Ines can tell you which of the two airports of her side of town is easier, and the rest can wait until you know.",
      },
      {
        daysAgo: 6,
        at: "20:15",
        said: "My favourite seat is on the aisle.",
        answered: "I will: an aisle seat, whenever we look at flights or trains.",
      },
    ],
  },
  {
    exchanges: [
      {
        daysAgo: 5,
        at: "07:48",
        said: "Mia's swimming is on Thursdays at 16:30 now.",
        answered: "Thursday at 16:30, then. I leave Tuesday afternoon free in what I plan.",
      },
      {
        daysAgo: 5,
        at: "07:51",
        said: "My 5k personal best is 27:12.",
        answered: "Well run. That is a minute and a half better than in spring.",
      },
    ],
  },
  {
    exchanges: [
      {
        daysAgo: 4,
        at: "18:30",
        said: "The boiler pressure is 1.6 bar. My favourite tea is Darjeeling, by the way.",
        answered:
          "Noted: serviced, 1.6 bar. If it falls below 1.2 again within a month, the expansion vessel is the first suspect.",
      },
    ],
  },
  {
    exchanges: [
      {
        daysAgo: 3,
        at: "12:05",
        said: "What could we cook for six on Saturday? I am vegan. Jonas is allergic to nuts.",
        answered:
          "A tray of roasted vegetables with chickpeas and tahini-free green sauce, lemon rice, and baked pears. Everything can be made in the afternoon.",
      },
      {
        daysAgo: 3,
        at: "12:09",
        said: "I moved to Leiden in 2019. Where are good pears sold?",
        answered: "The Saturday market on the canal has them from two growers; go before eleven.",
      },
    ],
  },
  {
    exchanges: [
      {
        daysAgo: 2,
        at: "08:20",
        said: "How do I get the squeak out of a disc brake? My bike is a green Gazelle.",
        answered:
          "Clean rotor and pads with alcohol, roughen the pads lightly, and bed them in again: ten firm stops from walking speed.",
      },
    ],
  },
  {
    exchanges: [
      {
        daysAgo: 1,
        at: "21:40",
        said: "My 5k personal best is 25:50.",
        answered: "Eighty-two seconds faster within a week!",
      },
      {
        daysAgo: 1,
        at: "21:44",
        said: "What would a degree less in the bedroom save us? I work at the city library, so the house is empty by day.",
        answered: "Roughly six per cent of what heats that room. With the door closed at night a little more.",
      },
    ],
  },
];

/** Messages in LangChain's format, which can hold times. */
export function messagesOf({ exchanges }: PastConversation, now: Date): unknown[] {
  return exchanges.flatMap(({ daysAgo, at, said, answered }) => {
    const day = new Date(now);
    day.setDate(day.getDate() - daysAgo);
    const [hours = 0, minutes = 0] = at.split(":").map(Number);
    day.setHours(hours, minutes, 0, 0);
    const message = (type: string, content: string, seconds: number) => {
      const dwell = { at: new Date(day.getTime() + seconds * 1_000).toISOString() };
      return { type, data: { content, additional_kwargs: { dwell } } };
    };
    return [message("human", said, 0), message("ai", answered, 4)];
  });
}
