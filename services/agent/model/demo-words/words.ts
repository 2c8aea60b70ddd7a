/** The texts of the demo in one language. */
export interface DemoWords {
  /** Patterns of the messages that ask for each turn of the tour; the app's buttons send such messages. */
  asks: { change: RegExp, question: RegExp, long: RegExp, task: RegExp }
  /** Opens every reply, so that people do not mistake the rules for a model. */
  notice: string
  notUnderstood: string
  /** `quoted`: the tool's result. */
  failed: (quoted: string) => string
  change: { begin: string, file: string, make: string, made: string, again: string, done: string, denied: string }
  question: { begin: string, question: string, choices: string[], answered: (answer: string) => string, nobody: string }
  long: string
  task: { begin: string, name: string, prompt: string, make: string, done: string, exists: string, denied: string, run: string }
}

/** Part of the long answer, which has about the same content in every language. */
export const code = `\`\`\`js
const rate = 0.04 / 12
const saved = (years, deposit = 100) =>
  deposit * ((1 + rate) ** (12 * years) - 1) / rate

for (const years of [5, 10, 20, 30]) {
  console.log(years, Math.round(saved(years)))
}
\`\`\``

export const formula = '$$S = d \\cdot \\frac{(1 + i)^n - 1}{i}$$'
