import t from '#test'
import { planSteps, planTitle } from '../../services/agent/index.js'

const stepsOf = (text: string): string[] => planSteps(text).map(({ content, status }) => `${status === 'completed' ? 'x' : ' '} ${content}`)

t.test('the steps of a plan are its task list, or else its longest numbered list', (t) => {
  const cases: Array<[text: string, steps: string[]]> = [
    ['', []], ['Only words.', []], ['- a\n- b', []],
    ['- [ ] a\n- [x] b\n* [X] c\n+ [ ] d', ['  a', 'x b', 'x c', '  d']],
    ['1. [ ] a\n2. [x] b', ['  a', 'x b']],
    ['1. a\n2) b', ['  a', '  b']],
    ['# Found\n\n1. x\n\n# Steps\n\n1. a\n2. b\n3. c', ['  a', '  b', '  c']],
    ['1. found\n2. this\n\n- [ ] do it', ['  do it']],
    ['- [ ] a\n  - [ ] inner\n    1. deep\n- [ ] b', ['  a', '  b']],
    ['```\n- [ ] code\n```\n- [ ] a\n~~~\n- [ ] more\n```\n~~~\n- [ ] b', ['  a', '  b']],
    ['- [ ]\n- [ ]   \n- [ ] a', ['  a']],
    ['## A\n- [ ] a\n## B\n- [ ] b', ['  a', '  b']],
    ['\t- [ ] a\r\n\t- [ ] b\r', ['  a', '  b']]
  ]
  for (const [text, steps] of cases) t.same(stepsOf(text), steps, JSON.stringify(text))
  t.equal(planSteps('- [ ] a\n'.repeat(500)).length, 100)
  t.equal(planSteps(`- [ ] ${'x'.repeat(5_000)}`)[0]?.content.length, 400)
})

t.test('its title is the first heading, or the first line', (t) => {
  for (const [text, title] of [
    // Long input takes time proportional to its length at most.
    [`# a${' '.repeat(40_000)}x`, `a${' '.repeat(119)}`], [`# a ${'#'.repeat(40_000)}x`, `a ${'#'.repeat(118)}`],
    ['# A plan #\n', 'A plan'], ['# A plan\t##  ', 'A plan'], ['# To C#', 'To C#'], ['words\n\n## Later', 'Later'], ['only words', 'only words'], ['', ''], ['\n\n  x', 'x']
  ] as const) {
    t.equal(planTitle(text), title, JSON.stringify(text))
  }
})
