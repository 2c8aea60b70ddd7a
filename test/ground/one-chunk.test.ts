import { once } from 'node:events'
import { createServer, request, Agent, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from '#test'
import { writeChunk } from '../../plugins/ground/one-chunk.js'
import { listening } from '../support/listening.js'

const frames = [['data: one\n\n'], ['data: zwölf\n\n', 'data: 十三\n\n'], ['x'.repeat(70_000)]]
const text = frames.flat().join('')
const never = (): void => { throw new Error('nobody had to wait') }

async function serve (t: Test, answer: (response: ServerResponse) => void): Promise<number> {
  return await listening(t, createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    answer(response)
  }))
}

function writeFrames (response: ServerResponse): void {
  for (const frame of frames) writeChunk(response, frame.map((part) => Buffer.from(part)), () => {})
  response.end()
}

async function said (port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  let heard = ''
  for await (const piece of socket.setEncoding('utf8')) heard += String(piece)
  return heard
}

t.test('chunks of one or more parts arrive, and the connection serves another request', async (t) => {
  const port = await serve(t, writeFrames)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  for (const round of [0, 1]) {
    const asked = request({ port, agent, host: '127.0.0.1' })
    asked.end()
    const [answer] = await once(asked, 'response') as [AsyncIterable<Buffer>]
    const pieces: Buffer[] = []
    for await (const piece of answer) pieces.push(piece)
    t.equal(Buffer.concat(pieces).toString(), text)
    t.equal(asked.reusedSocket, round === 1)
  }
})

t.test('a client of HTTP/1.0 gets the bytes without chunks', async (t) => {
  const heard = await said(await serve(t, writeFrames), 'GET / HTTP/1.0\r\n\r\n')
  t.equal(heard.slice(heard.indexOf('\r\n\r\n') + 4), text)
})

t.test('an answer behind another one on its connection comes after that', async (t) => {
  const waiting: ServerResponse[] = []
  const port = await serve(t, (response) => {
    waiting.push(response)
    const [first, second] = waiting
    if (first === undefined || second === undefined) return
    writeChunk(second, [Buffer.from('second')], never)
    writeChunk(first, [Buffer.from('first')], never)
    first.end()
    second.end()
  })
  const heard = await said(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  t.match(heard, /5\r\nfirst\r\n0\r\n\r\nHTTP[^]*6\r\nsecond\r\n0\r\n\r\n$/)
})

t.test('whoever writes to a full socket hears when it accepts more', async (t) => {
  let told = 0
  const port = await serve(t, (response) => {
    const more = (): void => {
      if (response.writableEnded) return
      while (writeChunk(response, [Buffer.alloc(1_000_000, 'x')], more) && told < 10) told++
      if (told++ >= 10) response.end()
    }
    more()
  })
  const heard = await said(port, 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  t.ok(heard.endsWith('\r\n0\r\n\r\n'))
  t.ok(told >= 10)
})
