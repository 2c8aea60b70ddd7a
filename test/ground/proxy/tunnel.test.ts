import t from '#test'
import { createRoutes, type Proxy } from '../../../services/ground/proxy/routes.js'
import { openTunnel } from '../../../services/ground/proxy/tunnel.js'
import { eventually } from '../../support/chat.js'
import { raw } from '../../support/failing-addresses.js'
import { startProxy } from '../../support/proxy.js'

const target = { host: 'far.invalid', port: 443 }

function proxyAt (address: string): Proxy {
  const proxy = createRoutes({ ALL_PROXY: address }).proxyFor(new URL('https://far.invalid'))
  if (proxy === null) throw new Error('no proxy')
  return proxy
}

t.test('a proxy that says nothing is given up, and its connection closed', async (t) => {
  const silent = await startProxy(t, { hosts: {} })
  silent.answer = 'silence'
  let isClosed = false
  const mute = await raw(t, (socket) => { socket.resume().on('close', () => { isClosed = true }) })
  for (const address of [`http://127.0.0.1:${silent.port}`, `socks5://127.0.0.1:${mute}`, `http://127.0.0.1:${mute}`, `https://127.0.0.1:${mute}`]) {
    await t.rejects(openTunnel(proxyAt(address), target, 300), { code: 'proxy_silent', says: /did not answer in time/ }, address)
  }
  await eventually('closed', () => isClosed)
})

t.test('what is no proxy is told from one that refuses, however it breaks off', async (t) => {
  const answers: Array<[scheme: string, answer: string | null, problem: string]> = [
    ['http', 'SSH-2.0-OpenSSH_9.6\r\n', 'no_proxy'], ['http', 'HTTP/1.1 501 No\r\n\r\n', 'no_proxy'], ['http', 'HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', 'refused'], ['http', null, 'failed'],
    ['socks5', 'HTTP/1.1 400 Bad\r\n\r\n', 'no_proxy'], ['socks5', '\x05\xff', 'login'], ['socks5', '\x05\x02', 'login'], ['socks5', '\x05', 'failed'], ['socks5', null, 'failed'],
    ['socks5', '\x05\x00\x05\x02\x00\x01', 'refused'], ['socks5', '\x05\x00\x05\x05\x00\x01', 'failed']
  ]
  for (const [scheme, answer, problem] of answers) {
    const port = await raw(t, (socket) => { socket.once('data', () => answer === null ? socket.destroy() : socket.end(Buffer.from(answer, 'latin1'))) })
    await t.rejects(openTunnel(proxyAt(`${scheme}://127.0.0.1:${port}`), target), { problem }, `${scheme} ${answer}`)
  }
})

t.test('what a server says at once is not lost, and a SOCKS proxy may name any kind of address', async (t) => {
  const greeting = 'welcome'
  const cases: Array<[scheme: string, answers: string[]]> = [
    ['http', [`HTTP/1.1 200 Go\r\n\r\n${greeting}`]],
    ['socks5', ['\x05\x00', `\x05\x00\x00\x01\x7f\x00\x00\x01\x01\xbb${greeting}`]],
    ['socks5', ['\x05\x00', `\x05\x00\x00\x03\x03far\x01\xbb${greeting}`]],
    ['socks5', ['\x05\x00', `\x05\x00\x00\x04${'\x00'.repeat(16)}\x01\xbb${greeting}`]]
  ]
  for (const [scheme, answers] of cases) {
    const left = [...answers]
    const port = await raw(t, (socket) => { socket.on('data', () => { socket.write(Buffer.from(left.shift() ?? '', 'latin1')) }) })
    const socket = await openTunnel(proxyAt(`${scheme}://127.0.0.1:${port}`), target)
    let said = ''
    for await (const piece of socket) if ((said += String(piece)).length >= greeting.length) break
    t.equal(said, greeting, answers.join())
  }
})
