import { type Test } from '#test'
import { type ModelRef, type StepUsage } from '../../../services/agent/protocol.js'
import { eventually, gate } from '../chat.js'
import { bench, type OpenTransport } from './harness.js'

const at = { profile: 'default', machine: undefined }
const model = (id: string): ModelRef => ({ provider: 'openai', id })

/** Tests what a host does besides its runs: small model tasks, and questions about MCP servers. */
export function asideConform (t: Test, open: OpenTransport): void {
  t.test('a small model task is answered and counted; what fails or comes too late is no answer, and is counted all the same', async (t) => {
    const { runtime, script, logs } = await bench(t, open)
    const used: StepUsage[] = []
    const title = async (id: string, timeoutMs: number): Promise<unknown> => await runtime.smallTask(at, { task: 'title', model: model(id), input: 'A question' }, timeoutMs, (usage) => { used.push(usage) })
    script('named', [[{ text: 'A good name' }, { usage: { input: 10, output: 3 } }]])
    t.equal(await title('named', 10_000), 'A good name')
    t.match(used, [{ inputTokens: 10, outputTokens: 3, estimated: false }])

    t.equal(await runtime.smallTask(at, { task: 'title', model: { provider: 'nobody', id: 'x' }, input: 'x' }, 10_000), null)
    t.ok(logs.some((line) => line.includes('beside the turn failed')))

    const late = gate()
    script('late', [async () => {
      await eventually('the gate', () => late.isOpen)
      return [{ text: 'Too late' }, { usage: { input: 20, output: 2 } }]
    }])
    t.equal(await title('late', 50), null)
    late.open()
    await eventually('it to be counted', () => used.some(({ inputTokens }) => inputTokens === 20))
    t.equal(runtime.size().waiting, 0)
  })

  t.test('what is asked about MCP servers is answered, or refused in words', async (t) => {
    const { runtime } = await bench(t, open)
    t.same(await runtime.mcp('default', 'status', {}, { timeoutMs: 10_000, start: true }), { answer: [] })
    t.same(await runtime.mcp('default', 'prompts', {}, { timeoutMs: 10_000, start: false }), { answer: [] })
    t.match(await runtime.mcp('default', 'prompt', { server: 'nobody', name: 'x', args: {} }, { timeoutMs: 10_000, start: false }), { error: String })
    t.match(await runtime.mcp('default', 'dance' as 'status', {}, { timeoutMs: 10_000, start: false }).catch(String), /./, 'one that is not known harms nobody')
    t.equal(runtime.size().waiting, 0)
  })
}
