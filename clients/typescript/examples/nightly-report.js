// A report for cron or a CI job: sends one message, prints its answer to standard output, and shows by the exit code whether it got one.
// What would need an approval is denied. Needs a token with the scope approve (with the scope chat, leave onPrompt out).
// SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… node nightly-report.js "Summarise yesterday's commits" /home/ann/site
import { ApiError, Client, TurnFailed } from 'agent-web-service-client'

const { SVC_URL: url = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const client = new Client({ url, token })
const [message = 'help', workspace] = process.argv.slice(2)

try {
  const { session } = await client.api.post('/api/session/new', workspace === undefined ? {} : { workspace })
  await client.api.post('/api/session/rename', { session_id: session.session_id, title: `Report of ${new Date().toISOString().slice(0, 10)}` })
  const { text } = await client.ask(session.session_id, message, {
    signal: AbortSignal.timeout(30 * 60_000),
    onPrompt: async ({ kind, prompt }) => {
      if (kind === 'approval') await client.approve(prompt, 'deny')
      else await client.answer(prompt, 'Nobody is there. Use your best guess.')
    }
  })
  console.log(text)
} catch (error) {
  if (error instanceof TurnFailed) console.error(`${error.message} ${error.hint ?? ''}`)
  else if (error instanceof ApiError) console.error(`${error.message} (${error.code ?? error.status})`)
  else throw error
  process.exitCode = 1
}
