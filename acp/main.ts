import { agentProtocolRouter, ndJsonStream } from '@agentclientprotocol/sdk/experimental/v2'
import { readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { Client } from '../clients/typescript/src/index.js'
import { createAcpAgent } from './agent.js'
import { help } from './help.js'
import { createSecondAgent } from './second-agent.js'

// Started by an editor, which talks to it over standard input and output: nothing else may be written there.
const { SVC_URL: url = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const { version }: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const gone = new AbortController()
// Messages on stderr may be lost; an editor that no longer reads stdout is gone.
process.stderr.on('error', () => {})
process.stdout.on('error', () => { process.exit() })

const [argument] = process.argv.slice(2)
if (argument === '--help' || argument === '-h') {
  console.log(help)
} else if (argument !== undefined) {
  console.error(`There is no option "${argument.slice(0, 60)}": an editor starts this program without any. --help says more.`)
  process.exitCode = 2
} else if (!/^https?:\/\/[^/]+\/?$/.test(url)) {
  console.error(`SVC_URL is not the address of a service: ${url}`)
  process.exitCode = 1
} else {
  const service = new Client({ url, token })
  const options = { service, version, signal: gone.signal }
  // The editor says with its first request which version it speaks.
  const connection = agentProtocolRouter().withV1(createAcpAgent(options)).withV2(createSecondAgent(options)).connect(
    // Node and the library have different types for the same stream.
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>)
  )
  void connection.closed.finally(() => {
    gone.abort()
    process.exit()
  })
}
