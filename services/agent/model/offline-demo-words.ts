/** What the demo says, in the languages of the app. */
export interface DemoWords {
  /** Opens every reply, so that nobody takes the rules for a model. */
  notice: string
  notUnderstood: string
  /** `quoted`: what the tool said. */
  failed: (quoted: string) => string
  change: { begin: string, file: string, make: string, made: string, again: string, done: string, denied: string }
  question: { begin: string, question: string, choices: string[], answered: (answer: string) => string, nobody: string }
  long: string
  task: { begin: string, name: string, prompt: string, make: string, done: string, exists: string, denied: string, run: string }
}

const code = `\`\`\`js
const rate = 0.04 / 12
const saved = (years, deposit = 100) =>
  deposit * ((1 + rate) ** (12 * years) - 1) / rate

for (const years of [5, 10, 20, 30]) {
  console.log(years, Math.round(saved(years)))
}
\`\`\``

const formula = '$$S = d \\cdot \\frac{(1 + i)^n - 1}{i}$$'

const en: DemoWords = {
  notice: 'Fixed rules wrote this reply, not an AI model.',
  notUnderstood: `I understand no free text, but I can show you how working here feels:

- a change that you approve
- a question that you answer
- a long answer with a table and code
- a task that runs every morning

Choose one, or send its words, such as “Show me a question”. Once you connect a model, it answers whatever you write.`,
  failed: (quoted) => `That did not work:\n\n${quoted}`,
  change: {
    begin: 'I keep a small packing list in this chat’s folder. First I look what is there, which needs no approval.',
    file: '# Packing list\n\n- [ ] Passport\n- [ ] Charger\n- [ ] Rain jacket\n',
    make: 'Now I write the list. The card shows the whole file; nothing is written until you allow it.',
    made: 'The list is there. Now I tick its first item: the card shows the line before and after.',
    again: 'I tick the next item. The card shows what changes; nothing is written until you allow it.',
    done: 'Done: `demo-list.md` is changed. **Undo** below takes it back, and **Review** shows what changed.\n\n' +
      'A model works the same way: it proposes, you see the change itself, and you decide.',
    denied: 'You denied it, so nothing was written. A model would now look for another way, or ask you.'
  },
  question: {
    begin: 'Sometimes only you know the answer. Then the work stops and asks.',
    question: 'Your backups have room for 7 or for 30 days. How many shall I keep?',
    choices: ['7 days', '30 days'],
    answered: (answer) => `You answered **${answer}**, so that is what I would go on with.\n\n` +
      'A question is also in the inbox and on your phone, and you can answer in your own words. Without an answer in time, ' +
      'the work goes on with an assumption and says which one.',
    nobody: 'Nobody answered in time, so I would go on with the longer one: it loses nothing.'
  },
  long: `## What 100 a month becomes

Put 100 aside each month at 4 % a year, and interest on interest does more of the work the longer you wait:

| Years | Paid in | Saved | Of it interest |
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
    begin: 'A task runs by itself at its times. First I look whether it is there already.',
    name: 'Good morning',
    prompt: 'Say good morning, and name one small thing worth doing today.',
    make: 'It is not. The card shows what it will do and when it runs next.',
    done: 'The task is there, and runs every morning at 8:00. **Tasks** shows its next runs and its results; ' +
      'there you can pause it, change it in your own words, or delete it.\n\nTo end this demo of it: open **Tasks**, then *Good morning*, and delete it.',
    exists: 'It is there already: *Good morning*, every morning at 8:00. Open **Tasks** to see its next runs, run it now, pause it or delete it.',
    denied: 'You denied it, so there is no task. You can also make one yourself, in plain words, under **Tasks**.',
    run: 'Good morning! One small thing for today: connect a model under **Models**, and this task says something new each day.'
  }
}

const zh: DemoWords = {
  notice: '这条回复由固定规则写成，不是 AI 模型。',
  notUnderstood: `我看不懂自由输入的文字，但可以演示在这里工作是什么样子：

- 一次由你批准的修改
- 一个由你回答的提问
- 一段带表格和代码的长回答
- 一个每天早上运行的任务

选一个，或者直接发送，例如“演示一个提问”。连接模型后，你写什么它都会回答。`,
  failed: (quoted) => `没有成功：\n\n${quoted}`,
  change: {
    begin: '我在这个对话的文件夹里放一张小小的行李清单。先看看文件夹里有什么，这一步不需要批准。',
    file: '# 行李清单\n\n- [ ] 护照\n- [ ] 充电器\n- [ ] 雨衣\n',
    make: '现在写入清单。卡片会显示整个文件；你允许之前，什么都不会写入。',
    made: '清单建好了。现在勾选第一项：卡片会显示这一行修改前后的样子。',
    again: '我来勾选下一项。卡片会显示改动；你允许之前，什么都不会写入。',
    done: '完成：`demo-list.md` 已修改。用下面的**撤销**可以恢复，**查看**会显示改了什么。\n\n模型也是这样工作的：它提出修改，你看到改动本身，由你决定。',
    denied: '你拒绝了，所以什么都没有写入。换成模型，它会另想办法，或者来问你。'
  },
  question: {
    begin: '有时候只有你知道答案。这时工作会停下来问你。',
    question: '备份的空间够保留 7 天或 30 天。要保留多久？',
    choices: ['7 天', '30 天'],
    answered: (answer) => `你的回答是**${answer}**，接下来就按这个做。\n\n提问在收件箱和手机上也能看到，你还可以用自己的话回答。如果一直没有回答，工作会按一个假设继续，并说明是哪一个。`,
    nobody: '没有等到回答，那就按较长的时间保留：这样不会丢失任何东西。'
  },
  long: `## 每月存 100，最后有多少

每月存 100，年利率 4 %。时间越长，利滚利的作用越大：

| 年数 | 存入 | 总额 | 其中利息 |
|---:|---:|---:|---:|
| 5 | 6,000 | 6,630 | 10 % |
| 10 | 12,000 | 14,725 | 19 % |
| 20 | 24,000 | 36,677 | 35 % |
| 30 | 36,000 | 69,405 | 48 % |

### 数字怎么来的

每月存入 $d$，月利率 $i$，共 $n$ 个月：

${formula}

用 JavaScript 写出来，右上角的按钮可以复制：

${code}

### 采信之前

1. **物价也会涨。** 通胀 2 % 时，30 年后的 69,405 只相当于今天的 38,000 左右。
2. **利率会变。** 上下浮动半个百分点，最后一行大约变动 9 %。
3. **费用**的作用等于降低利率。

> 模型会针对你自己的问题写出这样的回答，还能把表格存成文件。`,
  task: {
    begin: '任务会按时间自己运行。先看看它是不是已经有了。',
    name: '早安',
    prompt: '说声早安，再提一件今天值得做的小事。',
    make: '还没有。卡片会显示它要做什么、下一次什么时候运行。',
    done: '任务建好了，每天早上 8:00 运行。在**任务**里能看到接下来的运行时间和结果，也可以暂停它、用自己的话修改它，或者删除它。\n\n不想保留的话：打开**任务**，找到“早安”，删除即可。',
    exists: '它已经在了：“早安”，每天早上 8:00。打开**任务**，可以看到接下来的运行时间，也可以立即运行、暂停或删除。',
    denied: '你拒绝了，所以没有新建任务。你也可以在**任务**里用平常的话自己建一个。',
    run: '早安！今天可以做的一件小事：在**模型**里连接一个模型，这个任务就会每天说点新的。'
  }
}

/** Returns the words for an answer to a message: Chinese to one with Chinese characters, else English. */
export const demoWordsFor = (message: string): DemoWords => /\p{Script=Han}/u.test(message) ? zh : en
