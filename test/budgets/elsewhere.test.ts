import t from '#test'
import { TurnBudget } from '../../services/agent/engines/budget.js'
import { type RunIO } from '../../services/agent/engines/engine.js'
import { type Answered } from '../../services/agent/requests.js'

const late = { error: { code: 'late', message: 'There was no answer in time' } } as const
const over = { answer: { command: 'More than 1 dollar', description: 'It is used up', patternKeys: ['budget:day'], offers: [], hint: 'Wait' } } as unknown as Answered<'budget'>

/** Returns what a run learns before its second model call. */
async function asks (spec: { host?: string, budgeted?: true }, answers: Array<Answered<'budget'>>) {
  const deadlines: unknown[] = []
  const request = (async (_: 'budget', __: object, { deadlineMs }: { deadlineMs: number | null }) => {
    deadlines.push(deadlineMs)
    return answers.shift()
  }) as unknown as RunIO['request']
  const budget = new TurnBudget({ runId: 'run', attended: false, ...spec }, { request, askApproval: async () => null })
  const found = await budget.check(false).catch((error: unknown) => error)
  return { found, deadlines }
}

t.test('a run on another machine goes on while the service is away, unless a budget held for it', async (t) => {
  const free = await asks({ host: 'big' }, [late])
  t.equal(free.found, null)
  t.match(free.deadlines, [Number])
  t.match((await asks({ host: 'big' }, [over])).found, { reason: 'budget_exhausted' }, 'what the service says counts')
  for (const spec of [{ host: 'big', budgeted: true }, {}] as const) {
    const { found, deadlines } = await asks(spec, [over])
    t.same(deadlines, [null], 'it waits for the service')
    t.match(found, { reason: 'budget_exhausted' })
  }
})
