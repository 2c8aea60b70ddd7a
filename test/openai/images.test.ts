import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import type OpenAI from 'openai'
import t from '#test'
import { createImages } from '../../services/areas/openai/index.js'
import { listening } from '../support/listening.js'
import { refused, withClient } from '../support/openai.js'

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const dataUrl = `data:image/png;base64,${png.toString('base64')}`
const shown = (url: string, text = 'What is this?'): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content: [{ type: 'text', text }, { type: 'image_url', image_url: { url } }] })
const sent = { type: 'image_url', image_url: { url: dataUrl } }

t.test('images come to the model and stay with the conversation as attachments do', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model([{ text: 'A dot.' }], [{ text: 'Still.' }], [{ text: 'Also.' }], [{ text: 'Old.' }], [{ text: 'Bare.' }])
  const messages = [shown(dataUrl)]
  const first = await client.chat.completions.create({ model, messages }).withResponse()
  t.equal(first.data.choices[0]?.message.content, 'A dot.')
  t.match(service.requests(model)[0]?.messages.at(-1), { role: 'user', content: [{ type: 'text', text: /What is this\?/ }, sent] })
  const id = first.response.headers.get('x-session-id')!
  const { body } = await service.get(`/api/session?session_id=${id}`, me)
  t.match(body.session.messages[0], { content: 'What is this?', attachments: [{ name: 'image-1.png', mime: 'image/png', is_image: true, size: png.length }] })

  messages.push({ role: 'assistant', content: 'A dot.' }, { role: 'user', content: 'Sure?' })
  const second = await client.chat.completions.create({ model, messages }).withResponse()
  t.equal(second.response.headers.get('x-session-id'), id, 'the same conversation')

  const response = await client.responses.create({ model, input: [{ role: 'user', content: [{ type: 'input_text', text: 'And this?' }, { type: 'input_image', image_url: dataUrl, detail: 'auto' }] }] })
  t.equal(response.output_text, 'Also.')
  t.match(service.requests(model)[2]?.messages.at(-1), { content: [{ type: 'text' }, sent] })

  await client.chat.completions.create({ model, messages: [shown(dataUrl, 'Never said here'), { role: 'assistant', content: 'A line.' }, { role: 'user', content: 'Sure?' }] })
  t.match(service.requests(model)[3]?.messages.at(-1), { content: [{ type: 'text', text: /Sure\?/ }, sent] }, 'of a conversation that is not known, the model sees them as well')
  await client.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: dataUrl } }] }] })
  t.match(service.requests(model)[4]?.messages.at(-1), { content: [{ type: 'text' }, sent] }, 'without a word')
})

t.test('images that cannot be had are refused, and nothing begins', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model()
  const count = async () => (await service.get('/api/sessions', me)).body.sessions.length as number
  const path = 'messages.0.content.1.image_url'
  for (const [url, told] of [
    ['https://127.0.0.1/x.png', /private address/], ['https://localhost/x.png', /private address/], ['https://[::1]/x.png', /private address/], ['https://169.254.169.254/latest/meta-data', /private address/],
    ['https://10.0.0.1/x.png', /private address/], ['https://user:pass@example.org/x.png', /private|fetched/], ['https://0x7f000001/x.png', /private address/],
    ['http://example.org/x.png', /begins with https:/], ['file:///etc/passwd', /begins with https:/], ['/etc/passwd', /begins with https:/], ['data:image/png,hello', /base64/], ['data:image/png;base64,!!!', /base64/],
    [`data:image/png;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`, /no image that models take/], ['data:image/png;base64,', /no image that models take/]
  ] as const) await refused(t, client.chat.completions.create({ model, messages: [shown(url)] }), { status: 400, param: path, type: 'invalid_request_error', message: told })
  await refused(t, client.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, ...Array.from({ length: 21 }, () => ({ type: 'image_url' as const, image_url: { url: dataUrl } }))] }] }), { status: 400, message: /At most 20 images/ })
  await refused(t, client.chat.completions.create({ model, messages: [shown(`data:image/png;base64,${Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]).toString('base64')}`)] }), { status: 413, message: /at most 10 MB/ })
  await refused(t, client.responses.create({ model, input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1', detail: 'auto' }] }] }), { status: 400, param: 'input.0.content.0.file_id' })
  await refused(t, client.chat.completions.create({ model, messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url: dataUrl } } as never] }, { role: 'user', content: 'x' }] }), { status: 400, message: /of the user only/ })
  t.equal(await count(), 0)
  t.equal(service.requests(model).length, 0)
})

t.test('a model that is known not to see, with nobody to see for it, is refused', async (t) => {
  const { client, service, me } = await withClient(t)
  await refused(t, client.chat.completions.create({ model: '@openai:gpt-4', messages: [shown(dataUrl)] }), { status: 400, code: 'unsupported_parameter', param: 'messages.0.content.1.image_url', message: /cannot see images/ })
  t.equal((await service.get('/api/sessions', me)).body.sessions.length, 0)
})

t.test('what an address answers is looked at, and no more of it is taken than an image may have', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/dot.png') return response.end(png)
    if (request.url === '/page') return response.end('<html>')
    if (request.url === '/flood') return Readable.from(function * () { for (let piece = 0; piece < 400; piece++) yield Buffer.alloc(65_536, 7) }()).pipe(response)
    return response.writeHead(404).end()
  })
  const port = await listening(t, server)
  const received: number[] = []
  const images = createImages({
    incoming: { receive: async (stream, name) => {
      let sizeBytes = 0
      for await (const chunk of stream as AsyncIterable<Buffer>) sizeBytes += chunk.length
      received.push(sizeBytes)
      return { path: '', name, sizeBytes, head: Buffer.alloc(0), discard: async () => {} }
    } },
    uploads: { attach: async () => { throw new Error('not here') } },
    reach: async (url, signal) => ({ response: await fetch(`http://127.0.0.1:${port}${url.pathname}`, { signal }), close: async () => {} })
  })
  const get = async (name: string, signal = new AbortController().signal) => await images.receive([{ url: `https://example.org/${name}`, path: 'input' }], signal)
  t.match(await get('dot.png'), [{ name: 'image-1.png' }])
  t.same(received, [png.length])
  await t.rejects(get('page'), /no image that models take/)
  await t.rejects(get('nothing'), /its server has answered 404/)
  await t.rejects(get('flood'), /at most 10 MB/)
  const gone = new AbortController()
  gone.abort()
  await t.rejects(get('dot.png', gone.signal), /image/)
})
