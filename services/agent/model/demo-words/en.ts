import { code, type DemoWords, formula } from './words.js'

export const en: DemoWords = {
  asks: { change: /^show me a change\b/i, question: /^show me a question\b/i, long: /^show me a long answer\b/i, task: /^show me a task\b/i },
  notice: 'Fixed rules wrote this reply, not an AI model.',
  notUnderstood: `I cannot answer free text, but I can show you what working here is like:

- a change that you approve
- a question that you answer
- a long answer with a table and code
- a task that runs every morning

Choose one, or send its words, such as “Show me a question”. Once you connect a model, it answers whatever you write.`,
  failed: (quoted) => `That did not work:\n\n${quoted}`,
  change: {
    begin: 'I keep a small packing list in this chat’s folder. First I look at what is there, which needs no approval.',
    file: '# Packing list\n\n- [ ] Passport\n- [ ] Charger\n- [ ] Rain jacket\n',
    make: 'Now I write the list. The card shows the whole file; nothing is written until you allow it.',
    made: 'The list is written. Now I tick its first item. The card shows the line before and after.',
    again: 'I tick the next item. The card shows what changes; nothing is written until you allow it.',
    done: 'Done: `demo-list.md` is changed. **Undo** below takes it back, and **Review** shows what changed.\n\n' +
      'A model works the same way: it proposes, you see the change itself, and you decide.',
    denied: 'You denied it, so nothing was written. A model would now look for another way, or ask you.'
  },
  question: {
    begin: 'Sometimes only you know the answer. Then the agent stops and asks.',
    question: 'Your backups have room for 7 or for 30 days. How many should I keep?',
    choices: ['7 days', '30 days'],
    answered: (answer) => `You answered **${answer}**, so I would continue with that.\n\n` +
      'The question also appears in the inbox and on your phone, and you can answer in your own words. Without an answer in time, ' +
      'the agent continues with an assumption and says which one.',
    nobody: 'Nobody answered in time, so I would continue with the longer one, because it loses nothing.'
  },
  long: `## What 100 a month becomes

Put 100 aside each month at 4 % a year, and compound interest does more of the work the longer you wait:

| Years | Paid in | Saved | Share of interest |
|---:|---:|---:|---:|
| 5 | 6,000 | 6,630 | 10 % |
| 10 | 12,000 | 14,725 | 19 % |
| 20 | 24,000 | 36,677 | 35 % |
| 30 | 36,000 | 69,405 | 48 % |

### Where the figures come from

With a deposit $d$ each month, a monthly rate $i$ and $n$ months:

${formula}

The same in JavaScript, which you can copy with the button at its corner:

${code}

### Before you rely on it

1. **Prices rise too.** At 2 % inflation, 69,405 buys in 30 years what about 38,000 buys today.
2. **Rates change.** Half a percent more or less moves the last row by about 9 %.
3. **Fees** count like a lower rate.

> A model writes answers like this one to your own question, and can put the table into a file for you.`,
  task: {
    begin: 'A task runs by itself at its times. First I check whether it exists already.',
    name: 'Good morning',
    prompt: 'Say good morning, and name one small thing worth doing today.',
    make: 'It does not exist yet. The card shows what it will do and when it runs next.',
    done: 'The task is set up and runs every morning at 8:00. **Tasks** shows its next runs and its results; ' +
      'there you can pause it, change it in your own words, or delete it.\n\nTo remove it, open **Tasks**, then *Good morning*, and delete it.',
    exists: 'It exists already: *Good morning*, every morning at 8:00. Open **Tasks** to see its next runs, run it now, pause it or delete it.',
    denied: 'You denied it, so there is no task. You can also make one yourself, in plain words, under **Tasks**.',
    run: 'Good morning! One small thing for today: connect a model under **Models**, and this task says something new each day.'
  }
}
