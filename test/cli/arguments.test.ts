import t from '#test'
import { readCommandLine } from '../../cli/arguments.js'
import { askerOf } from '../../cli/asking.js'
import { commands } from '../../cli/catalogue.js'
import { WrongUsage } from '../../cli/command.js'
import { helpOf, overview } from '../../cli/help.js'
import { qrText } from '../../cli/qr.js'
import { reachableAddress } from '../../cli/reach.js'
import { startVariables } from '../../cli/start-variables.js'
import { environmentIn, launchdPlist, systemdUnit } from '../../cli/unit.js'
import { numberOf, scopeOf, secondsOf } from '../../cli/values.js'
import { columns, duration } from '../../cli/words.js'
import { ConsoleStatus } from '../../schemas/console.js'

/** Splits a command line into words as a shell does, as far as the examples need it. */
const wordsOf = (line: string): string[] => [...line.replace(/ < .*$/, '').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

const asked = (options: Record<string, string | true>) => ({ options, operands: [], isJson: false })

t.test('every example of the help is a command line of its command', (t) => {
  for (const command of commands) {
    t.ok(command.examples.length > 0, command.name)
    for (const [line] of command.examples) {
      const wanted = readCommandLine(wordsOf(line))
      t.match(wanted, { kind: command.passesOn === true ? 'pass-on' : 'run', command: { name: command.name } }, line)
    }
    const help = helpOf(command)
    t.equal(/\n {2}3 {2}/.test(help), command.needsService === true, `${command.name}: an exit code that only a command with a service can give`)
    for (const part of [`Usage: node scripts/cli.js ${command.name}`, command.summary, 'Examples:', 'Exit codes:']) t.ok(help.includes(part), `${command.name}: ${part}`)
    t.same(help.split('\n').filter((line) => line.length > 100), [], command.name)
    t.ok(overview().includes(command.name))
  }
})

t.test('what is asked for is read, and what is wrong with it is said', (t) => {
  t.match(readCommandLine([]), { kind: 'run', command: { name: 'start' } })
  t.match(readCommandLine(['--port', '9000', '--open']), { kind: 'run', command: { name: 'start' }, asked: { options: { port: '9000', open: true } } })
  t.match(readCommandLine(['token', 'create', '--name=a b', '--json', '--home', '/x']), { command: { name: 'token create' }, asked: { options: { name: 'a b' }, isJson: true }, home: '/x' })
  for (const words of [['--version'], ['-v'], ['version']]) t.same(readCommandLine(words), { kind: 'version' })
  for (const words of [['--help'], ['-h'], ['help']]) t.same(readCommandLine(words), { kind: 'help' })
  for (const words of [['token', '--help'], ['help', 'token']]) t.match(readCommandLine(words), { kind: 'help', group: 'token' })
  for (const words of [['help', 'token', 'list'], ['token', 'list', '-h'], ['token', 'list', '--nothing', '--help']]) t.match(readCommandLine(words), { kind: 'help', command: { name: 'token list' } })
  t.match(readCommandLine(['machine', '--nast', 'x']), { kind: 'pass-on', rest: ['--nast', 'x'] }, 'an option is no misspelt "list"')
  t.match(readCommandLine(['machine', '--nats', 'x', '--help']), { kind: 'pass-on', rest: ['--nats', 'x', '--help'] })
  t.match(readCommandLine(['doctor', '--json', '--']), { kind: 'run' })
  for (const [words, said] of [
    [['tokens'], /no command "tokens"\. Did you mean "token"\?/], [['docter'], /mean "doctor"/], [['xyzzy'], /"xyzzy"\. node scripts\/cli\.js --help/], [['token'], /token create, token list, token revoke/], [['token', 'make'], /no command "token make"\. Choose one of: token create/],
    [['sessions', 'lst'], /no command "sessions lst"\. Did you mean "sessions list"\?/], [['session', 'list'], /mean "sessions list"/], [['list', 'sessions'], /mean "sessions list"/], [['machine', 'lst', '--home', 'x'], /mean "machine list"/],
    [['--json', 'status'], /after the command: node scripts\/cli\.js status --json$/], [['--home', '/a b', 'token', 'list'], /after the command: node scripts\/cli\.js token list --home '\/a b'$/], [['--home', 'backup', '--prot', '1'], /no option --prot\. Did you mean --port\?/], [['--prot', '9', 'start'], /no option --prot/], [['--home', '/x', 'y'], /unexpected argument "y"/], [['constructor'], /no command/], [['status', '--constructor'], /no option/],
    [['status', '--what'], /no option --what\.$/], [['status', '--js'], /Did you mean --json\?/], [['start', '--prot', '9'], /no option --prot\. Did you mean --port\?/], [['-p', '9'], /no option -p\./], [['start', '--open=yes'], /^--open takes no value\.$/], [['status', 'x'], /unexpected argument "x"/], [['stop', '--timeout'], /^--timeout needs a value: --timeout <seconds>\.$/], [['stop', '--timeout', '--json'], /^--timeout needs a value/], [['backup', 'a', 'b'], /unexpected argument "b"/], [['token', 'create', '--name', ''], /--name is empty/], [['start', '--json'], /json/]
  ] as const) {
    try {
      readCommandLine(words)
      t.fail(words.join(' '))
    } catch (error) {
      t.ok(error instanceof WrongUsage && error.exitCode === 2, words.join(' '))
      t.match((error as Error).message, said)
    }
  }
})

t.test('everything that is wrong with the options is said at once', (t) => {
  t.throws(() => readCommandLine(['start', '--prot', '9', '--hots=a', '--open=yes', '--workspace', '', '--port', '--home']), { exitCode: 2, message: [
    'There is no option --prot. Did you mean --port?', 'There is no option --hots. Did you mean --host?', '--open takes no value.',
    '--workspace is empty. Is a variable not set?', '--port needs a value: --port <number>.'
  ].join('\n') })
  t.throws(() => readCommandLine(['start', '-port', '9', '-p', '-x=1']), { exitCode: 2, message: [
    'There is no option -port. Did you mean --port?', 'There is no option -p.', 'There is no option -x.'
  ].join('\n') })
  t.throws(() => startVariables(asked({ port: '99999', 'password-file': '/none' })), {
    exitCode: 2, message: '--port must be a whole number from 0 to 65535\nThe password file /none does not exist: correct the path, or write the secret to this file'
  })
  t.throws(() => startVariables(asked({ 'password-file': '/none' })), { exitCode: 1 })
})

t.test('a service that ends before it answers is named, not its socket', async (t) => {
  const failing = (error: Error) => askerOf(async () => await Promise.reject(error))('/api/console', ConsoleStatus)
  await t.rejects(failing(Object.assign(new Error('connect ENOENT /x/socket'), { code: 'ENOENT' })), { exitCode: 1, message: 'The service stopped before it answered. See whether it runs again: node scripts/cli.js status' })
  await t.rejects(failing(new Error('it took too long')), { message: 'The request to the service failed: it took too long' })
})

t.test('values of options', (t) => {
  t.equal(numberOf(asked({}), 'lines', { least: 1, most: 9, usual: 5 }), 5)
  t.equal(numberOf(asked({ lines: '9' }), 'lines', { least: 1, most: 9, usual: 5 }), 9)
  for (const lines of ['0', '10', '-1', '1e1', 'x', '1.5']) t.throws(() => numberOf(asked({ lines }), 'lines', { least: 1, most: 9, usual: 5 }), /1 to 9/)
  t.same(['90s', '30m', '12h', '90d', '2w', '1y'].map((text) => secondsOf(asked({ in: text }), 'in')), [90, 1_800, 43_200, 7_776_000, 1_209_600, 31_536_000])
  t.equal(secondsOf(asked({}), 'in'), null)
  for (const text of ['', '10', 'd', '1s', '-1d', '1.5h', '9999999d']) t.throws(() => secondsOf(asked({ in: text }), 'in'), /such as/)
  t.equal(scopeOf(asked({ scope: 'read' })), 'read')
  t.equal(scopeOf(asked({}), 'approve'), 'approve')
  for (const scope of ['person', 'console', 'Admin']) t.throws(() => scopeOf(asked({ scope })), /one of read, chat, approve, admin/)
  t.same([0, 59, 60, 3_725, 90_061].map(duration), ['0 s', '59 s', '1 min', '1 h 2 min', '1 d 1 h'])
  t.equal(columns(['A', 'LONG'], [['xyz', 'b'], ['1', '']]), 'A    LONG\nxyz  b\n1')
  t.equal(columns(['A', 'LONG'], [['xyz', 'many words'], ['1', 'few']], 11), 'A    LONG\nxyz  many …\n1    few', 'as wide as the terminal')
  t.equal(columns(['A', 'LONG'], [['x', 'a😀b😀c']], 9), 'A  LONG\nx  a😀b…', 'no character is cut in two')
  t.equal(columns(['A', 'LONG'], [['xyz', 'many words']], 8), 'A    LONG\nxyz  many words', 'which is too narrow for any of it')
})

t.test('the address that a phone reaches: what the operator has named, https first, else a network card', (t) => {
  const v4 = (address: string) => ({ address, family: 'IPv4' as const, internal: false, netmask: '255.255.255.0', mac: '', cidr: null })
  const interfaces = { lo: [{ ...v4('127.0.0.1'), internal: true }], docker0: [v4('172.17.0.1')], tailscale0: [v4('100.101.102.103')], eth0: [v4('192.168.1.20')], wlan0: [v4('169.254.3.4')] }
  const at = (host: string, allowedOrigins: string[] = [], known = interfaces as Parameters<typeof reachableAddress>[1]) => reachableAddress({ host, port: 8787, allowedOrigins }, known)
  t.equal(at('0.0.0.0', ['http://box.lan', 'https://agent.example.org']), 'https://agent.example.org')
  t.equal(at('127.0.0.1', ['http://localhost:1', 'http://box.lan:8080']), 'http://box.lan:8080')
  t.equal(at('127.0.0.1'), null)
  t.equal(at('localhost', ['https://127.0.0.1']), null)
  for (const any of ['0.0.0.0', '::']) t.equal(at(any), 'http://192.168.1.20:8787')
  t.equal(at('0.0.0.0', [], { tailscale0: [v4('100.101.102.103')], docker0: [v4('172.17.0.1')] }), 'http://100.101.102.103:8787')
  t.equal(at('0.0.0.0', [], { docker0: [v4('172.17.0.1')] }), null)
  t.equal(at('10.0.0.5'), 'http://10.0.0.5:8787')
  t.equal(at('fd00::5'), 'http://[fd00::5]:8787')
})

t.test('a QR code has its finders in the corners and a light border, in characters of two modules', (t) => {
  const lines = qrText('https://agent.example.org/pair#7KQ4N-2XWRD', false).split('\n')
  const [width] = lines.map((line) => line.length) as [number]
  t.ok(lines.every((line) => line.length === width) && Math.ceil(width / 2) === lines.length)
  const rows = lines.flatMap((line) => [[...line].map((each) => '█▀'.includes(each)), [...line].map((each) => '█▄'.includes(each))])
  const finder = ['0000000', '0111110', '0100010', '0100010', '0100010', '0111110', '0000000']
  for (const [x, y] of [[4, 4], [width - 11, 4], [4, width - 11]] as const) {
    t.same(finder.map((_, row) => rows[y + row]!.slice(x, x + 7).map((light) => light ? '1' : '0').join('')), finder)
  }
  t.ok(rows.slice(0, 4).flat().every(Boolean) && rows.every((row) => row.slice(0, 4).every(Boolean)))
  t.match(qrText('x', true), '\x1b[97;40m')
})

t.test('the environment of a unit is read as it was written, and as people edit it', (t) => {
  const variables = { SVC_HOME: '/home/a b/100% "mine" \\', SVC_WEBUI_PORT: '9000', PATH: '/a:/b' }
  const how = { command: ['node'], folder: '/srv/50% off', variables }
  const systemd = (text: string) => environmentIn('systemd', text, '/home/me')
  t.match(systemd(systemdUnit(how)), { variables, folder: '/srv/50% off', files: [] })
  t.match(environmentIn('launchd', launchdPlist({ ...how, variables: { ...variables, SVC_HOME: '<&>' } }, '/log'), '/home/me'),
    { variables: { ...variables, SVC_HOME: '<&>' }, folder: '/srv/50% off' })
  t.match(systemd("[Service]\nEnvironment=SVC_WEBUI_PORT=9001 'SVC_HOME=/a b'\n# Environment=A=1\n").variables, { SVC_WEBUI_PORT: '9001', SVC_HOME: '/a b', A: undefined })
  t.same(systemd('Environment=A=1\nEnvironment=B=2\n[Service]\nEnvironment=\n Environment = C=%h/x\n').variables, { C: '/home/me/x' }, 'an empty one takes back those before it')
  t.same(systemd('WorkingDirectory=/a\nWorkingDirectory=~\nEnvironmentFile=-/etc/a\nEnvironmentFile=%h/b'), { folder: '/home/me', files: ['/etc/a', '/home/me/b'], variables: {} })
  t.same(systemd(''), { folder: null, files: [], variables: {} })
})

t.test('units quote what the system would read as its own', (t) => {
  const how = { command: ['/opt/my node', 'a"b\\c', '$HOME 100%'], folder: '/srv/50% off', variables: { SVC_HOME: '/x <&> "y" $Z' } }
  const unit = systemdUnit(how)
  t.match(unit, /\nKillMode=process\n/, 'agents outlive the service')
  t.ok(unit.includes('ExecStart="/opt/my node" "a\\"b\\\\c" "$$HOME 100%%"\n'))
  t.ok(unit.includes('WorkingDirectory=/srv/50%% off\n'))
  t.ok(unit.includes('Environment="SVC_HOME=/x <&> \\"y\\" $Z"\n'))
  const plist = launchdPlist(how, '/log')
  t.ok(plist.includes('<key>SVC_HOME</key><string>/x &lt;&amp;&gt; "y" $Z</string>') && plist.includes('<string>$HOME 100%</string>'))
})
