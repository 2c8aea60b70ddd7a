// A first turn: a session, a message, and the answer while it is written.
// SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… node first-turn.js "What is in this folder?"
import { Client } from 'agent-web-service-client'

const { SVC_URL: url = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const client = new Client({ url, token })

const { session } = await client.api.post('/api/session/new')
const { stream_id: streamId } = await client.send(session.session_id, process.argv[2] ?? 'help')
for await (const { event, data } of client.turn(streamId)) {
  if (event === 'token') process.stdout.write(data.text)
  if (event === 'apperror') console.error(data.message)
}
console.log(`\n\n${url}/session/${session.session_id}`)
