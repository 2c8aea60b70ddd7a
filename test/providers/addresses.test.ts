import { type lookup, type LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import { isIP } from 'node:net'
import t from '#test'
import { addressProblem, checkProvider, classifyModelError, createGuardedFetch, reachedAddressProblem, resolveProviders } from '../../services/providers/index.js'
import { listening } from '../support/listening.js'

const refused = 'must not be a link-local or metadata address'

t.test('no way of writing a metadata address is one of a model server', async (t) => {
  for (const host of [
    '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.254.169.254.', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16',
    '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::169.254.169.254]', '[64:ff9b::169.254.169.254]', '[2002:a9fe:a9fe::1]', '[fe80::1]', '[fd00:ec2::254]', '[fd20:ce::254]',
    'metadata', 'METADATA.google.internal', 'metadata.google.internal.', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'
  ]) t.equal(addressProblem(`http://${host}/v1`), refused, host)
  for (const host of ['127.0.0.1:11434', '[::1]:1234', 'localhost', '192.168.1.20:8000', '[fd00::1]', 'models.example.org', '[::ffff:192.168.1.20]']) t.equal(addressProblem(`http://${host}/v1`), null, host)
})

t.test('a name that leads to a metadata address is refused, whatever else it leads to', async (t) => {
  const to = (...addresses: string[]) => async () => addresses.map((address) => ({ address }))
  const problem = async (lookup: () => Promise<Array<{ address: string }>>) => await reachedAddressProblem('https://models.example.org/v1', lookup)
  t.equal(await problem(to('169.254.169.254')), refused)
  t.equal(await problem(to('203.0.113.5', '::ffff:169.254.169.254')), refused)
  t.equal(await problem(to('203.0.113.5', '192.168.1.20', '::1')), null)
  t.equal(await problem(async () => { throw new Error('ENOTFOUND') }), null, 'a name that is not known leads nowhere')
  t.equal(await reachedAddressProblem('http://192.168.1.20', async () => { throw new Error('an address is not looked up') }), null)
  t.match(await reachedAddressProblem('ftp://models.example.org'), /http/)
})

t.test('an address is judged again where it is connected to, so that a name may lead elsewhere and nothing comes of it', async (t) => {
  const server = createServer((request, response) => { response.end(`for ${request.headers.host}`) })
  const port = await listening(t, server)
  let leadsTo: string[] = ['127.0.0.1']
  const lookups: string[] = []
  const resolve = ((host: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) => {
    lookups.push(host)
    done(null, leadsTo.map((address) => ({ address, family: isIP(address) })))
  }) as unknown as typeof lookup
  const fetch = createGuardedFetch(resolve)
  const url = `http://models.example.org:${port}/v1`

  t.equal(await (await fetch(url)).text(), `for models.example.org:${port}`, 'what was judged is what is connected to')
  server.closeAllConnections()
  for (const addresses of [['169.254.169.254'], ['127.0.0.1', '::ffff:169.254.169.254']]) {
    leadsTo = addresses
    const error = await fetch(url).then(() => null, (error: Error) => error)
    t.match(error?.cause, { code: 'ERR_ADDRESS_REFUSED' }, addresses.join(' '))
    t.match(classifyModelError(error, 'Somebody'), { message: /leads to a link-local or metadata address/, retryable: false })
  }
  const asked = lookups.length
  t.match(await fetch('http://[fe80::1]/v1').then(() => null, (error: Error) => error.cause), { code: 'ERR_ADDRESS_REFUSED' }, 'an address that somebody has written into config.yaml')
  t.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), `for 127.0.0.1:${port}`)
  t.equal(lookups.length, asked, 'an address is not looked up')
})

t.test('the provider of such a name is said to lead there', async (t) => {
  const [entry] = resolveProviders({ env: { SOME_KEY: 'a-key-of-mine' }, config: { custom_providers: [{ name: 'mine', base_url: 'http://models.example.org/v1', key_env: 'SOME_KEY' }] }, local: [] })
  const resolve = ((_host: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) => done(null, [{ address: '169.254.169.254', family: 4 }])) as unknown as typeof lookup
  t.match(await checkProvider(entry!, { timeoutMs: 10_000, fetch: createGuardedFetch(resolve) }), { problem: 'wrong_address', message: /metadata/ })
})

t.test('what costs nothing is a server of one\'s own: the wildcard addresses are this machine, an address of the internet is not', async (t) => {
  const isOwn = (host: string): boolean => resolveProviders({ env: {}, config: { custom_providers: [{ name: 'mine', base_url: `http://${host}/v1` }] }, local: [] })[0]!.isSelfHosted
  for (const host of ['127.0.0.1', 'localhost:1234', '0.0.0.0:11434', '[::]:8000', '0', '[::1]', '[::ffff:127.0.0.1]', '10.1.2.3', '172.20.0.2', '192.168.1.2', '100.64.1.2', '[fd00::7]', 'gpu', 'gpu.lan', 'gpu.local.']) t.ok(isOwn(host), host)
  for (const host of ['8.8.8.8', '[2606:4700::1111]', '172.32.0.1', 'models.example.org', '[::ffff:8.8.8.8]']) t.notOk(isOwn(host), host)
})
