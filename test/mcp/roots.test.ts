import { pathToFileURL } from 'node:url'
import t from '#test'
import { type McpTarget } from '../../services/agent/mcp/configuration.js'
import { Use } from '../../services/agent/mcp/elicitation.js'
import { ServerLog } from '../../services/agent/mcp/log.js'
import { ServerQuestions } from '../../services/agent/mcp/questions.js'
import { ServerRoots } from '../../services/agent/mcp/roots.js'

const program = (sandbox: boolean): McpTarget => ({ transport: 'stdio', command: 'x', args: [], env: {}, cwd: null, sandbox })
const address: McpTarget = { transport: 'http', url: 'https://mcp.example.org', headers: {}, oauth: null }
const use = (workspace: string | null): Use => new Use(null, null, null, null, null, workspace)
const signal = new AbortController().signal

t.test('asked in the form of 2026-07-28, only a program that sees the folder is told it', async (t) => {
  const asked = { method: 'roots/list', params: undefined }
  const questions = (target: McpTarget): ServerQuestions => {
    const roots = new ServerRoots(target)
    roots.follow([use('/work/one')])
    return new ServerQuestions({ server: 'docs', sampling: false, roots, log: new ServerLog() })
  }
  t.same(await questions(program(false)).answer(use('/work/two'), asked, signal), { roots: [{ uri: pathToFileURL('/work/two').href, name: 'two' }] }, 'that of the call')
  t.same(await questions(program(false)).answer(use(null), asked, signal), { roots: [{ uri: pathToFileURL('/work/one').href, name: 'one' }] }, 'or of the latest one')
  for (const target of [program(true), address]) {
    await t.rejects(questions(target).answer(use('/work/two'), asked, signal), { message: /"docs" asks for something that it is not answered here/ })
  }
})
