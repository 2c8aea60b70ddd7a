// Uploads a file, and asks about it.
// SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… node upload-and-ask.js plan.png "What is wrong with this plan?"
import { Client } from 'agent-web-service-client'
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'

const { SVC_URL: url = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const client = new Client({ url, token })
const [path = '', question = 'What is in this file?'] = process.argv.slice(2)

const { session } = await client.api.post('/api/session/new')
const { filename, ...file } = await client.upload(session.session_id, new File([await openAsBlob(path)], basename(path)))
const { text } = await client.ask(session.session_id, question, { attachments: [{ name: filename, ...file }] })
console.log(text)
