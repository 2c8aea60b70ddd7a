import t from 'tap'
import { addressProblem, reachedAddressProblem } from '../../services/providers/index.js'

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
