// Follows a turn that another device or window runs, and asks here for what it may do. Needs a token with the scope approve.
// SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… node follow-and-approve.js <session_id>
import { Client, isTerminal } from 'agent-web-service-client'
import { createInterface } from 'node:readline/promises'

const { SVC_URL: url = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const client = new Client({ url, token })
const [sessionId = ''] = process.argv.slice(2)

const over = new AbortController()
const { signal } = over
await Promise.all([follow(), answer()])

/** Prints what the turn says, until its end. */
async function follow () {
  for await (const { event, data } of client.events({ sessions: [sessionId] })) {
    if (event !== 'turn' || data.session_id !== sessionId) continue
    if (data.event === 'token') process.stdout.write(data.data.text)
    if (data.event === 'tool_complete') console.log(`\n[${data.data.name}] ${data.data.preview}`)
    if (isTerminal(data.event)) break
  }
  over.abort()
}

/** Asks for each approval and question as it comes. */
async function answer () {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    for await (const { kind, prompt } of client.prompts(sessionId, { signal })) {
      if (kind === 'question') {
        await client.answer(prompt, await terminal.question(`\n${prompt.question} `, { signal }))
      } else {
        const said = await terminal.question(`\n${prompt.description}\n${prompt.command}\nAllow this once? [y/N] `, { signal })
        await client.approve(prompt, /^y/i.test(said) ? 'once' : 'deny')
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    terminal.close()
  }
}
