import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { backupsCheck } from '../../services/areas/diagnostics/checks/backups.js'
import { addressCheck } from '../../services/areas/diagnostics/checks/address.js'
import { beforeLastWrite, clockCheck, offset, setBack, type AskTime } from '../../services/areas/diagnostics/checks/clock.js'
import { judgeDescriptors } from '../../services/areas/diagnostics/checks/descriptors.js'
import { diskCheck, judgeDisk } from '../../services/areas/diagnostics/checks/disk.js'
import { gitCheck } from '../../services/areas/diagnostics/checks/git.js'
import { listeningCheck, type ListeningOptions } from '../../services/areas/diagnostics/checks/listening.js'
import { memoryCheck, memoryUse } from '../../services/areas/diagnostics/checks/memory.js'
import { programCheck } from '../../services/areas/diagnostics/checks/program.js'
import { ripgrepCheck } from '../../services/areas/diagnostics/checks/ripgrep.js'
import { sandboxCheck } from '../../services/areas/diagnostics/checks/sandbox.js'
import { stateFolderCheck } from '../../services/areas/diagnostics/checks/state-folder.js'
import { databaseFileCheck } from '../../services/areas/diagnostics/checks/database-file.js'
import { liveDatabaseCheck } from '../../services/areas/diagnostics/checks/database-live.js'
import { createTidy, runChecks, type Check, type Line } from '../../services/areas/diagnostics/index.js'
import { databaseFile, openDatabase } from '../../services/ground/database/index.js'
import { explainListenError } from '../../services/ground/network/listen-error.js'
import { secrets, whole } from '../support/credentials.js'
import { temporaryFolder } from '../support/folder.js'
import { listening } from '../support/listening.js'
import { canMount } from '../support/mounting.js'

const mib = 1024 ** 2
const found = async (check: Check, home = '/nowhere'): Promise<Line[]> => await runChecks([check], createTidy(home))
const statuses = async (check: Check): Promise<string[]> => (await found(check)).map(({ status }) => status)

t.test('a state folder that others can open, a broken link, and one that is well', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const places = { home: join(folder, 'home'), stateDir: join(folder, 'home', 'web ui'), isService: true }
  const check = stateFolderCheck(places)
  t.match(await found(check), [{ status: 'skipped', message: /does not exist yet/ }])
  mkdirSync(places.stateDir, { recursive: true })
  chmodSync(places.home, 0o700)
  chmodSync(places.stateDir, 0o777)
  t.match(await found(check, folder), [{
    status: 'error', message: 'Every user of this machine can open ~/home/web ui.',
    fix: 'As the user of the service:\nchmod u=rwx,go= ~/home/web\\ ui', code: 'open_to_all', values: { path: '~/home/web ui' }
  }])
  chmodSync(places.stateDir, 0o750)
  if (process.getuid?.() === 0) {
    t.match(await found(check), [{ status: 'ok' }], "no other user is in root's group")
    chownSync(places.stateDir, 0, 100)
  }
  t.match(await found(check), [{ status: 'warning', message: /same group/, code: 'open_to_group', values: { path: String } }])
  const [{ fix = '' } = {}] = await found(check)
  execFileSync('sh', ['-c', fix?.split('\n').at(-1) ?? ''])
  t.match(await found(check), [{ status: 'ok', code: 'state_folder_ok' }], 'the fix is the exact one')
  t.same(readdirSync(places.stateDir), [], 'nothing of what was written stays')
  writeFileSync(join(places.home, '.env'), 'OPENAI_API_KEY=x')
  chmodSync(join(places.home, '.env'), 0o644)
  t.match(await found(check), [{ status: 'ok' }], 'nobody gets to the file')
  chmodSync(places.home, 0o701)
  const open = await found(check)
  t.equal(open.length, 2)
  t.match(open[1], { status: 'error', message: /Every user of this machine can open .*\.env/, fix: /chmod u=rw,go=/ })
  chmodSync(places.home, 0o700)
  chmodSync(join(places.home, '.env'), 0o600)
  symlinkSync(join(folder, 'unmounted'), databaseFile(places.stateDir))
  t.match(await found(check), [{ status: 'error', message: /symbolic link to .*unmounted, which is not there/, code: 'link_broken', values: { target: join(folder, 'unmounted') } }])
})

t.test('a state folder of another user', { skip: process.getuid?.() === 0 ? false : 'only root gives files away' }, async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  chmodSync(folder, 0o700)
  chownSync(folder, 999, 999)
  const check = (isService: boolean, user: number): Check => stateFolderCheck({ home: folder, stateDir: folder, isService, user })
  t.match(await found(check(false, 1_000)), [{
    status: 'error', message: 'These files belong to user 999; this runs as user 1000.',
    fix: "Run it as the user of the service:\nsudo -u '#999' node scripts/cli.js doctor"
  }])
  const [{ message = '', fix = '' } = {}] = await found(check(true, 1_000))
  t.match([message, fix], [/belongs to user 999/, /sudo chown -Rh 1000 /])
  t.match(await found(check(false, 0)), [{ status: 'warning', message: /runs as root/, fix: /sudo -u '#999'/ }])
  t.match(await found(check(true, 0)), [{ status: 'warning', message: /The service runs as root/ }])
  t.same(await found(check(true, 999)).then((lines) => lines.map(({ status }) => status)), ['ok'])
})

t.test('a database that is written to while it is copied is not called damaged', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const file = databaseFile(folder)
  openDatabase({ file }).close()
  const check = (isHeld: () => boolean): Check => databaseFileCheck({ stateDir: folder, isHeld })
  t.match(await found(check(() => false)), [{ status: 'ok', message: /is intact: .* no damage found/ }])
  let asked = 0
  t.match(await found(check(() => ++asked > 1)), [{ status: 'skipped', message: /written to while it was copied/ }], 'a service started')
  t.equal(asked, 2)
  asked = 0
  t.match(await found(check(() => {
    if (++asked > 1) appendFileSync(`${file}-wal`, 'x')
    return false
  })), [{ status: 'skipped', message: /written to while it was copied/ }], 'another program wrote')
})

t.test('a log that cannot be copied, and what is no file in the place of a database', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const file = databaseFile(folder)
  const check = databaseFileCheck({ stateDir: folder, isHeld: () => false })
  openDatabase({ file }).close()
  mkdirSync(`${file}-wal`)
  t.match(await found(check), [{ status: 'error', message: /^The check failed: E/ }])
  const other = join(folder, 'other')
  mkdirSync(databaseFile(other), { recursive: true })
  t.match(await found(databaseFileCheck({ stateDir: other, isHeld: () => false })), [{ status: 'error', message: /is not a file/ }])
})

t.test('a small disk that is full', { skip: canMount() ? false : 'no disks can be mounted here' }, async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'none', folder])
  t.teardown(() => execFileSync('umount', [folder]))
  t.throws(() => writeFileSync(join(folder, 'all'), Buffer.alloc(mib)))
  const state = stateFolderCheck({ home: folder, stateDir: folder, isService: true })
  t.match(await found(state), [{ status: 'error', message: /the disk is full/, fix: /df -h/ }])
  const disk = diskCheck({ stateDir: folder, backup: { folder, everyHours: 24 }, defaultWorkspace: folder, temporary: folder })
  t.match(await found(disk), [{ status: 'error', about: 'state folder', message: /almost full: 0 KiB/ }])
})

t.test('room on a disk', async (t) => {
  const where = { path: '/data', neededBytes: 0 }
  t.match(judgeDisk({ freeBytes: 99 * mib, freeFiles: null }, where), { status: 'error' })
  t.match(judgeDisk({ freeBytes: 500 * mib, freeFiles: null }, where), { status: 'warning' })
  t.match(judgeDisk({ freeBytes: 5_000 * mib, freeFiles: 20 }, where), { status: 'error', message: /20 more files/, fix: /--inodes/ })
  t.match(judgeDisk({ freeBytes: 5_000 * mib, freeFiles: null }, { ...where, neededBytes: 6_000 * mib }), { status: 'error', message: /no room for a backup/ })
  t.match(judgeDisk({ freeBytes: 5_000 * mib, freeFiles: 1e6 }, where), { status: 'ok' })
})

t.test('what a live database may have', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const check = (change: Partial<Parameters<typeof liveDatabaseCheck>[0]>): Check =>
    liveDatabaseCheck({ file: databaseFile(folder), trouble: () => null, verdict: () => 'ok', ...change })
  for (const kind of ['full', 'readonly', 'failing', 'locked'] as const) t.match(await found(check({ trouble: () => kind })), [{ status: 'error', fix: String }])
  t.match(await found(check({ trouble: () => 'locked' })), [{ fix: /sudo fuser -v .*\/service\.db$/ }])
  t.match(await found(check({ verdict: () => 'damaged' })), [{ status: 'error', fix: /node scripts\/cli\.js restore/ }])
  t.same(await Promise.all(([null, 'pending', 'unfinished', 'ok'] as const).map(async (verdict) => (await statuses(check({ verdict: () => verdict })))[0])),
    ['skipped', 'skipped', 'warning', 'ok'])
})

t.test('backups that are missing, cut off, too old, unreadable, and well', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const check = (everyHours: number, atS = 1_000_000, complaint: string | null = null): Check =>
    backupsCheck({ stateDir: folder, backup: { folder, everyHours }, isService: true, nowS: () => atS, complaint: () => complaint })
  t.match(await found(check(24)), [{ status: 'skipped' }])
  writeFileSync(databaseFile(folder), '')
  t.match(await found(check(24)), [{ status: 'warning', message: /no backup yet/, fix: /node scripts\/cli\.js backup/ }])
  t.match(await found(check(0)), [{ status: 'warning', fix: /SVC_WEBUI_BACKUP_HOURS=24/ }])
  const backup = join(folder, 'backup-19700112-134640')
  mkdirSync(backup)
  writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ made_at: 999_000, program: '1', database_version: 1, database_bytes: 3, rows: {}, attachments: 0 }))
  t.match(await found(check(24)), [{ status: 'error', message: /cannot be read/ }])
  writeFileSync(databaseFile(backup), 'ab')
  t.match(await found(check(24)), [{ status: 'error', message: /2 of 3 bytes/ }])
  writeFileSync(databaseFile(backup), 'abc')
  t.match(await found(check(24)), [{ status: 'ok', message: /17 minutes old/ }])
  t.match(await found(check(24, 2_000_000)), [{ status: 'warning', message: /one is due every 24 hours/ }])
  t.match(await found(check(24, 900_000)), [{ status: 'warning', message: /from the future/ }])
  t.match(await found(check(24, 1_000_000, 'The last backup could not be made.')), [{ status: 'error', message: 'The last backup could not be made.' }])
})

t.test('clocks', async (t) => {
  t.equal(setBack({ wallMs: 5_000, passedMs: 6_000 }), null)
  t.match(setBack({ wallMs: -3_600_000, passedMs: 6_000 }), { status: 'warning', message: /set back by 60 minutes/ })
  t.equal(beforeLastWrite(3), null)
  t.match([0, 6, -40, 3_600].map(offset), [{ status: 'ok' }, { status: 'ok' }, { status: 'warning', message: /40 s behind/ }, { status: 'error', message: /60 minutes ahead/, fix: /timedatectl/ }])
  const folder = temporaryFolder(t, 'doctor')
  const clock = { now: () => 1_000_000_000_000, monotonic: () => 0 }
  const check = (askTime: AskTime): Check =>
    clockCheck({ clock, startedAt: { wallMs: clock.now(), monotonicMs: 0 }, databaseFile: databaseFile(folder), askTime, askLimitMs: 20 })
  t.same(await statuses(check(async () => null)), ['skipped'])
  t.same(await statuses(check(async () => { throw new Error('no network') })), ['skipped'])
  // The check's own timer does not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const unheard: AskTime = async (signal) =>
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('time limit'))))
  t.same(await statuses(check(unheard)), ['skipped'], 'a firewall drops what is sent')
  t.same(await statuses(check(async () => clock.now() + 600_000)), ['error'])
  writeFileSync(databaseFile(folder), '')
  t.match(await found(check(async () => null)), [{ status: 'error', message: /database was written/ }], 'it was written later than now')
  utimesSync(databaseFile(folder), 1, 1)
  t.same(await statuses(check(async () => null)), ['skipped'])
})

t.test('who can reach the service', async (t) => {
  const usual: ListeningOptions = {
    host: '127.0.0.1', port: 8787, isLoopback: true, trustedProxies: [], isGated: () => true, isContainer: false
  }
  const seen = async (change: Partial<ListeningOptions>): Promise<Line[]> => await found(listeningCheck({ ...usual, ...change }))
  t.match(await seen({}), [{ status: 'ok' }])
  t.match(await seen({ isGated: () => false }), [{ status: 'ok', message: /Only this machine/ }])
  t.match(await seen({ isGated: () => null }), [{ status: 'skipped' }])
  t.match(await seen({ isGated: () => false, trustedProxies: ['loopback'] }), [{ status: 'error', message: /reach the proxy/, fix: /SVC_WEBUI_PASSWORD_FILE=/ }])
  t.match(await seen({ host: '0.0.0.0', isLoopback: false }), [{
    status: 'warning', about: '0.0.0.0:8787', message: /plain HTTP/, fix: /SVC_WEBUI_TRUSTED_PROXIES=loopback/
  }])
  const contained = { host: '0.0.0.0', isLoopback: false, isContainer: true }
  t.match(await seen(contained), [{ status: 'skipped', fix: /ports: \["127\.0\.0\.1:8787:8787"\]/ }])
  t.match(await seen({ trustedProxies: ['10.0.0.1', '0.0.0.0/0'] }), [{ status: 'error', message: /any client can claim/ }])
})

t.test('a port that another program has, one that only the system may use, and an address of another machine', async (t) => {
  const port = await listening(t, createServer())
  const usual = { host: '127.0.0.1', port, user: 1000, start: 'systemctl start it', isService: async () => false, holder: () => null, isContainer: false }
  t.match(explainListenError(Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' }), { host: 'nas', port: 1 }), { message: /^The name nas leads to no address\. Set SVC_WEBUI_HOST/ })
  t.match(await found(addressCheck(usual)), [{ status: 'error', message: /Another program already listens/, fix: new RegExp(`ss -ltnp 'sport = :${port}'`) }])
  t.match(await found(addressCheck({ ...usual, isService: async () => true })), [{ status: 'ok' }])
  const silent = addressCheck({ ...usual, holder: () => 7 })
  t.match(await found(silent), [{ status: 'error', message: /The service \(process 7\) does not answer/ }])
  t.match(await found(addressCheck({ ...usual, port: 1 })), [{ status: 'error', message: /may not listen/ }])
  t.match(await found(addressCheck({ ...usual, host: '192.0.2.7', port: 0 })), [{ status: 'error', message: /no address 192\.0\.2\.7/ }])
  t.match(await found(addressCheck({ ...usual, port: 0 })), [{ status: 'skipped', fix: /systemctl start it/ }])
})

t.test('memory of a control group: the tightest counts, and what can be dropped does not', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  const proc = join(folder, 'cgroup')
  writeFileSync(proc, '0::/outer/inner\n')
  const group = (name: string, limit: string, used: number, inactive: number): void => {
    mkdirSync(join(folder, name), { recursive: true })
    for (const [file, text] of [['memory.max', limit], ['memory.current', String(used)], ['memory.stat', `anon 1\ninactive_file ${inactive}\n`]] as const) writeFileSync(join(folder, name, file), text)
  }
  group('outer', String(1_000 * mib), 980 * mib, 0)
  group('outer/inner', 'max', 1, 0)
  const read = async () => await memoryUse({ proc, groups: folder })
  t.same(await read(), { usedBytes: 980 * mib, limitBytes: 1_000 * mib, isGroup: true })
  t.match(await found(memoryCheck(read)), [{ status: 'error', fix: /MemoryMax=2G/ }])
  group('outer', String(1_000 * mib), 980 * mib, 500 * mib)
  t.match(await found(memoryCheck(read)), [{ status: 'ok', message: /480 MiB of 1000 MiB/ }])
  group('outer/inner', String(100 * mib), mib, 0)
  t.match(await found(memoryCheck(read)), [{ status: 'warning', message: /That is little/ }])
})

t.test('programs: versions, open files, ripgrep, the sandbox', async (t) => {
  t.same(await statuses(programCheck('git', '20.11.1')), ['error'])
  t.same(await statuses(programCheck('git', '22.13.9')), ['error'])
  t.same(await statuses(programCheck('git', '22.14.0')), ['ok'])
  t.same([{ open: 10, limit: 65_536 }, { open: 10, limit: 256 }, { open: 900, limit: 1_024 }, { open: 1_000, limit: 1_024 }].map((use) => judgeDescriptors(use).status), ['ok', 'warning', 'warning', 'error'])
  t.match(await found(ripgrepCheck({ PATH: process.env.PATH })), [{ status: 'ok', message: /^ripgrep \d/ }])
  t.match(await found(ripgrepCheck({}, '/nowhere/rg')), [{ status: 'error', message: /ENOENT/ }])
  t.match(await found(ripgrepCheck({}, '/bin/false')), [{ status: 'error', message: /code 1/ }])
  t.match(await found(sandboxCheck({ isOn: false, env: {} })), [{ status: 'warning', message: /switched off/ }])
  t.match(await found(sandboxCheck({ isOn: true, env: { PATH: '/nowhere' } })), [{ status: 'warning', message: /not installed/, fix: /apt-get install bubblewrap/ }])
  const folder = temporaryFolder(t, 'doctor')
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', { mode: 0o755 })
  t.match(await found(sandboxCheck({ isOn: true, env: { PATH: folder } })), [{ status: 'warning', message: /No permissions to create new namespace/, fix: String }])
})

t.test('git: none, a workspace, and that of another user', async (t) => {
  const workspace = temporaryFolder(t, 'doctor')
  const check = (engine = 'git'): Check => gitCheck({ workspace, environment: {}, engine: async () => ({ engine, version: '2.39.5' }) })
  t.match(await found(check('isomorphic-git')), [{ status: 'warning', fix: /apt-get install git/ }])
  const about = async (): Promise<Line | undefined> => (await found(check())).find(({ about }) => about === 'default workspace')
  t.match(await about(), { status: 'ok', message: /not a git repository/ })
  execFileSync('git', ['init', '--quiet', workspace])
  t.match(await about(), { status: 'ok', message: /works/ })
  if (process.getuid?.() !== 0) return
  execFileSync('chown', ['-R', '12345', workspace])
  t.match(await about(), { status: 'error', message: /another user/, fix: /safe\.directory/ })
})

t.test('checks that hang or throw are findings, and the others are not held up', async (t) => {
  const usual = { group: 'service' as const, title: 'A check' }
  // A hanging system call keeps a process alive; a promise does not.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  let started = 0
  const hanging: Check = {
    ...usual,
    id: 'hangs',
    limitMs: 20,
    async run () {
      started++
      return await new Promise<never>(() => {})
    }
  }
  const lines = await runChecks([
    hanging,
    { ...usual, id: 'throws', run: () => { throw Object.assign(new Error('/home/ada/secret'), { code: 'EIO' }) } },
    { ...usual, id: 'works', run: () => ({ status: 'ok', message: 'Well.', fix: null }) }
  ], createTidy('/home/ada'))
  t.match(lines, [
    { id: 'hangs', status: 'error', message: /did not end within 0\.02 s/ }, { id: 'throws', status: 'error', message: 'The check failed: EIO.' }, { id: 'works', status: 'ok' }
  ])
  t.match(await found(hanging), [{ status: 'error', message: 'An earlier run of the check still hangs.' }])
  t.equal(started, 1, 'it is not started again')
})

t.test('texts hold no credentials, no names of homes, and nothing that a terminal obeys', async (t) => {
  const tidy = createTidy('/home/ada/', { name: 'ada', home: '/home/ada' })
  t.equal(tidy.text('See /home/ada/.svc and /home/adam/x, /Users/eve/y and /home/ada.'), 'See ~/.svc and /home/…/x, /Users/…/y and ~.')
  t.equal(tidy.fix('chmod go= /home/ada/.svc'), 'chmod go= ~ada/.svc', 'whoever pastes it may be another user')
  const elsewhere = createTidy('/home/ada', { name: 'ada', home: '/srv/ada' })
  t.equal(elsewhere.fix('/home/ada/x'), '~/x', 'the shell would take it for another folder')
  t.equal(createTidy('/home/ada lo', null).text('/home/ada\\ lo/x, /home/eve\\ li/y, /var/home/bob/z'), '~/x, /home/…/y, /var/home/…/z')
  t.equal(createTidy('/').text('/data/webui'), '/data/webui')
  for (const [what, text, secret] of secrets) t.notOk(tidy.text(whole(text)).includes(whole(secret)), what)
  const check: Check = {
    id: 'x', group: 'service', title: 'X', run: () => ({ status: 'ok', message: 'a\u001b[2Jb', fix: null, about: '\u202ec' })
  }
  t.match(await runChecks([check], tidy), [{ message: 'a\u241b[2Jb', about: '\\u{202e}c' }])
})
