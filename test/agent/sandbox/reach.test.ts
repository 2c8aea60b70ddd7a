import { type lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type NetworkInterfaceInfo } from 'node:os'
import t from '#test'
import { guardOf, OutOfReach } from '../../../services/agent/sandbox/reach.js'
import { guardedTunnel, type Guard } from '../../../services/ground/network/guarded-connector.js'
import { hostPortOf, hostPortText, readHostPort } from '../../../services/ground/network/host-port.js'
import { isOnOwnNetwork } from '../../../services/ground/network/own-networks.js'
import { createRoutes } from '../../../services/ground/proxy/routes.js'
import { listening } from '../../support/listening.js'
import { startProxy } from '../../support/proxy.js'

const direct = createRoutes({})

/** A name server that counts its requests. */
const answering = (...answers: string[]): { resolve: typeof lookup, asked: string[] } => {
  const asked: string[] = []
  const resolve = (host: string, _: object, done: (error: null, found: Array<{ address: string, family: number }>) => void): void => {
    const address = answers[Math.min(asked.push(host), answers.length) - 1] ?? ''
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  }
  return { resolve: resolve as unknown as typeof lookup, asked }
}

t.test('a place is a host with a port, in one spelling', (t) => {
  const texts: Array<[text: string, expected: string | null]> = [
    ['Example.ORG.:443', 'example.org:443'], ['2130706433:80', '127.0.0.1:80'], ['0x7f.1:80', '127.0.0.1:80'], ['127.1:1', '127.0.0.1:1'], ['[0:0::1]:80', '[::1]:80'],
    ['[::ffff:127.0.0.1]:80', '127.0.0.1:80'], ['%31%32%37.0.0.1:80', '127.0.0.1:80'], ['１２７.0.0.1:80', '127.0.0.1:80'], ['bücher.example:80', 'xn--bcher-kva.example:80'],
    ['example.org', null], ['example.org:0', null], ['example.org:65536', null], ['user@example.org:80', null], ['example.org:80/path', null], ['example.org:80?x', null], ['a b:80', null],
    ['a\0.example:80', null], [':80', null], ['.:80', null], ['::1:80', null], ['256.0.0.1:80', null], ['', null]
  ]
  for (const [text, expected] of texts) {
    const place = readHostPort(text)
    t.equal(place === null ? null : hostPortText(place), expected, text)
  }
  t.same(['http://a.example', 'https://A.example/v1', 'ws://[::1]:8/', 'postgres://a:1', 'nonsense', 'http://u:p@h.example:81/x'].map((address) => hostPortOf(address)), [
    { host: 'a.example', port: 80 }, { host: 'a.example', port: 443 }, { host: '::1', port: 8 }, null, null, { host: 'h.example', port: 81 }
  ])
})

t.test('what is in a network of the machine is its own, also with a public address', (t) => {
  const entry = (address: string, cidr: string | null): NetworkInterfaceInfo => ({ address, cidr, netmask: '', mac: '', internal: false, family: 'IPv4' })
  const interfaces = { eth0: [entry('203.0.113.7', '203.0.113.7/28'), entry('2001:db8:1::7', '2001:db8:1::7/64')], tun0: [entry('198.51.100.1', '198.51.100.1/0'), entry('198.51.100.9', null)] } as never
  for (const address of ['203.0.113.7', '203.0.113.1', '::ffff:203.0.113.1', '2002:cb00:7107::', '2001:db8:1::99', '198.51.100.1', '198.51.100.9']) t.ok(isOnOwnNetwork(address, interfaces), address)
  for (const address of ['203.0.113.17', '2001:db8:2::1', '8.8.8.8', 'name', '']) t.notOk(isOnOwnNetwork(address, interfaces), address)
})

t.test('a connection is open to public addresses and to places by name, and never to the metadata of clouds', (t) => {
  const allows = (reach: { isPublic: boolean, places: string[] }, host: string, address: string, port = 80): boolean => guardOf(reach, { host, port }).allowAddress(address)
  const open = { isPublic: true, places: ['10.0.0.9:80', 'wiki.lan:80', '169.254.169.254:80', '[fd00::9]:80'] }
  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '10.0.0.9', '::ffff:10.0.0.9', 'fd00::9', 'fd00:0::9']) t.ok(allows(open, 'any.example', address), address)
  for (const address of ['127.0.0.1', '::1', '0.0.0.0', '::', '10.0.0.8', '192.168.1.1', 'fd00::8', 'fe80::1', '100.64.0.1', '169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a00:9', '64:ff9b::7f00:1', '192.0.2.1']) t.notOk(allows(open, 'any.example', address), address)
  t.notOk(allows(open, 'any.example', '10.0.0.9', 81), 'at another port')
  t.ok(allows(open, 'wiki.lan', '10.9.9.9'), 'wherever a name leads that is open')
  t.notOk(allows(open, 'wiki.lan', '169.254.169.254'))
  t.notOk(allows(open, '169.254.169.254', '169.254.169.254'), 'also when it is named')
  t.notOk(allows({ isPublic: false, places: ['a.example:80'] }, 'b.example', '8.8.8.8'))
  t.ok(allows({ isPublic: false, places: ['a.example:80'] }, 'a.example', '8.8.8.8'))
  const names = guardOf(open, { host: 'x', port: 80 }).allowName
  t.same(['example.org', 'printer', 'nas.local', 'metadata.google.internal'].map((name) => names?.(name)), [true, false, false, false])
})

t.test('a name is judged by the address that is connected to', async (t) => {
  const port = await listening(t, createServer((socket) => socket.end('here')))
  const through = async (guard: Guard, host = 'turning.example', routes = direct): Promise<unknown> => await guardedTunnel({ host, port }, guard, routes)
  const guard = (resolve: typeof lookup, places: string[] = []): Guard => ({ ...guardOf({ isPublic: true, places }, { host: 'turning.example', port }), resolve })

  for (const address of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:127.0.0.1', '0.0.0.0']) await t.rejects(through(guard(answering(address).resolve)), OutOfReach, address)
  const turning = answering('127.0.0.1', '8.8.8.8')
  await t.rejects(through(guard(turning.resolve)), OutOfReach)
  t.equal(turning.asked.length, 1, 'it is asked for once')
  const named = await guardedTunnel({ host: 'turning.example', port }, guard(answering('127.0.0.1').resolve, [`turning.example:${port}`]), direct)
  t.match(String(await once(named, 'data')), 'here')
  named.destroy()
  for (const host of ['127.0.0.1', '::1', '0.0.0.0']) await t.rejects(guardedTunnel({ host, port }, guardOf({ isPublic: true, places: [] }, { host, port }), direct), OutOfReach, host)

  const proxy = await startProxy(t, { hosts: { 'turning.example': port, 'unknown.example': port } })
  const behind = createRoutes({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
  await t.rejects(through(guard(answering('127.0.0.1').resolve), 'turning.example', behind), OutOfReach)
  t.same(proxy.seen, [], 'before a proxy hears of it')
  const socket = await guardedTunnel({ host: 'turning.example', port }, guard(answering('8.8.8.8').resolve), behind)
  t.match(String(await once(socket, 'data')), 'here')
  socket.destroy()
  t.same(proxy.seen, [`CONNECT turning.example:${port}`])
})
