import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { seccompProgram } from '../../../services/agent/sandbox/seccomp.js'
import { realPath } from '../../../services/agent/tools/containment.js'
import { confinedRun } from '../../support/confined.js'
import { needsSandbox, sandbox } from '../../support/needs-sandbox.js'

/** Returns what the kernel would do with a call: 0, or the error number. */
function judged (program: Buffer, audit: number, call: number, args: number[]): number {
  let accumulator = 0
  for (let at = 0; ; at++) {
    const [code, ifTrue, ifFalse, value] = [program.readUInt16LE(at * 8), program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3), program.readUInt32LE(at * 8 + 4)]
    if (code === 0x20) accumulator = (value === 0 ? call : value === 4 ? audit : args[(value - 16) / 8] ?? 0) >>> 0
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse
    else if (code === 0x45) at += (accumulator & value) !== 0 ? ifTrue : ifFalse
    else return value === 0x7fff0000 ? 0 : value & 0xffff
  }
}

/** Numbers from the Linux tables: x86_64, i386, arm64 (generic), arm (EABI). */
const tables = {
  x86_64: { arch: 'x64', audit: 0xc000003e, read: 0, chmod: 90, fchmod: 91, fchmodat: 268, fchmodat2: 452, creat: 85, mknod: 133, mknodat: 259, open: 2, openat: 257, add_key: 248, request_key: 249, keyctl: 250, perf_event_open: 298, bpf: 321, userfaultfd: 323, socket: 41, ioctl: 16, clone: 56, unshare: 272, kill: 62, tkill: 200, tgkill: 234, rt_sigqueueinfo: 129, rt_tgsigqueueinfo: 297, fcntl: 72, setrlimit: 160, prlimit64: 302 },
  i386: { arch: 'x64', audit: 0x40000003, read: 3, chmod: 15, fchmod: 94, fchmodat: 306, fchmodat2: 452, creat: 8, mknod: 14, mknodat: 297, open: 5, openat: 295, add_key: 286, request_key: 287, keyctl: 288, perf_event_open: 336, bpf: 357, userfaultfd: 374, socket: 359, ioctl: 54, clone: 120, unshare: 310, kill: 37, tkill: 238, tgkill: 270, rt_sigqueueinfo: 178, rt_tgsigqueueinfo: 335, fcntl: 55, fcntl64: 221, setrlimit: 75, prlimit64: 340 },
  arm64: { arch: 'arm64', audit: 0xc00000b7, read: 63, fchmod: 52, fchmodat: 53, fchmodat2: 452, mknodat: 33, openat: 56, add_key: 217, request_key: 218, keyctl: 219, perf_event_open: 241, bpf: 280, userfaultfd: 282, socket: 198, ioctl: 29, clone: 220, unshare: 97, kill: 129, tkill: 130, tgkill: 131, rt_sigqueueinfo: 138, rt_tgsigqueueinfo: 240, fcntl: 25, setrlimit: 164, prlimit64: 261 },
  arm: { arch: 'arm64', audit: 0x40000028, read: 3, chmod: 15, fchmod: 94, fchmodat: 333, fchmodat2: 452, creat: 8, mknod: 14, mknodat: 324, open: 5, openat: 322, add_key: 309, request_key: 310, keyctl: 311, perf_event_open: 364, bpf: 386, userfaultfd: 388, socket: 281, ioctl: 54, clone: 120, unshare: 337, kill: 37, tkill: 238, tgkill: 268, rt_sigqueueinfo: 178, rt_tgsigqueueinfo: 363, fcntl: 55, fcntl64: 221, setrlimit: 75, prlimit64: 369 }
} as const

t.test('commands that share the container with the service make no sockets of the machine, and send no signal that opens a debugger', (t) => {
  for (const [name, { arch, audit, ...numbers }] of Object.entries(tables)) {
    const [program, sandboxed] = [seccompProgram(arch, 'container'), seccompProgram(arch)]
    if (program === null || sandboxed === null) throw new Error(`there is no filter for ${arch}`)
    const known: Partial<Record<string, number>> = { ...numbers, pidfd_send_signal: 424 }
    const is = (call: string, args: number[], errno: number): void => {
      if (known[call] === undefined) return
      t.equal(judged(program, audit, known[call], args), errno, `${name}: ${call}(${args.join(', ')})`)
      if (call !== 'socket') t.equal(judged(sandboxed, audit, known[call], args), 0, `${name}: ${call} in a sandbox`)
    }
    for (const family of [1, 2, 10, 16, 40]) is('socket', [family, 1, 0], [2, 10, 16].includes(family) ? 0 : 97)
    for (const [signal, errno] of [[10, 1], [9, 0], [15, 0], [0, 0]] as const) {
      for (const call of ['kill', 'tkill', 'rt_sigqueueinfo', 'pidfd_send_signal']) is(call, [7, signal], errno)
      for (const call of ['tgkill', 'rt_tgsigqueueinfo']) is(call, [7, 7, signal], errno)
    }
    for (const call of ['fcntl', 'fcntl64']) {
      is(call, [3, 10, 10], 1)
      is(call, [3, 4, 10], 0)
    }
    is('setrlimit', [10], 1)
    is('setrlimit', [7], 0)
    is('prlimit64', [0, 10], 1)
    is('prlimit64', [0, 7], 0)
  }
})

t.test('the filter has the numbers of every ABI that a processor runs', async (t) => {
  for (const [name, { arch, audit, ...numbers }] of Object.entries(tables)) {
    const program = seccompProgram(arch)
    if (program === null) throw new Error(`there is no filter for ${arch}`)
    const known: Partial<Record<string, number>> = { ...numbers, io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, clone3: 435, openat2: 437 }
    const is = (call: string, args: number[], errno: number): void => {
      if (known[call] !== undefined) t.equal(judged(program, audit, known[call], args), errno, `${name}: ${call}(${args.map((arg) => arg.toString(8)).join(', ')})`)
    }
    for (const call of ['add_key', 'request_key', 'keyctl', 'perf_event_open', 'bpf', 'userfaultfd']) is(call, [], 1)
    for (const call of ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'openat2', 'clone3']) is(call, [], 38)
    for (const [mode, errno] of [[0o4755, 1], [0o6755, 1], [0o2755, 0], [0o1777, 0]] as const) {
      for (const call of ['chmod', 'fchmod', 'creat', 'mknod']) is(call, [0, mode], errno)
      for (const call of ['fchmodat', 'fchmodat2', 'mknodat']) is(call, [-100, 0, mode], errno)
      is('open', [0, 0o101, mode], errno)
      is('openat', [-100, 0, 0o20200002, mode], errno)
      is('openat', [-100, 0, 0, mode], 0)
    }
    for (const family of [0, 1, 2, 10, 16, 17, 31, 38, 40, 42, 44]) is('socket', [family, 1, 0], [1, 2, 10, 16].includes(family) ? 0 : 97)
    for (const request of [0x5412, 0x541c]) is('ioctl', [0, request], 1)
    is('ioctl', [0, 0x5401], 0)
    for (const call of ['clone', 'unshare']) {
      is(call, [0x10000000 | 0x11], 1)
      is(call, [0x11], 0)
    }
    is('read', [0o6755, 0o6755, 0o6755], 0)
    t.equal(judged(program, audit, 0x40000000 + 39, []), 38, `${name}: numbers of another ABI`)
  }
  t.equal(judged(seccompProgram('x64')!, 0xc00000b7, 1, []), 38, 'a processor that this is not')
  t.equal(seccompProgram('riscv64'), null)
})

/** Builds a 32-bit program that makes one call and exits with its error number. A text stands for its address. */
function program32 (call: number, args: Array<number | string>): Buffer {
  const base = 0x08048000
  const texts: number[] = []
  const place = 84 + 7 * 5 + 32
  const values = args.map((arg) => {
    if (typeof arg === 'number') return arg
    texts.push(...Buffer.from(`${arg}\0`))
    return base + place + texts.length - Buffer.byteLength(arg) - 1
  })
  const word = (value: number): number[] => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255]
  const code = [0xb8, ...word(call), ...values.flatMap((value, index) => [[0xbb, 0xb9, 0xba, 0xbe][index] ?? 0x90, ...word(value)]), 0xcd, 0x80, 0x89, 0xc3, 0xf7, 0xdb, 0xb8, ...word(1), 0xcd, 0x80]
  const size = place + texts.length
  const header = [0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, ...word(1), ...word(base + 84), ...word(52), ...word(0), ...word(0), 52, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0]
  const segment = [1, 0, base, base, size, size, 5, 0x1000].flatMap(word)
  const bytes = Buffer.alloc(size)
  Buffer.from([...header, ...segment, ...code]).copy(bytes)
  Buffer.from(texts).copy(bytes, place)
  return bytes
}

t.test('32-bit programs run, and are held to the same', { ...needsSandbox, ...process.arch === 'x64' ? {} : { skip: 'this is an x86 machine\'s' } }, async (t) => {
  const workspace = realPath(t.testdir({ kept: 'text' }))
  const run = confinedRun(sandbox, workspace)
  const call = async (number: number, ...args: Array<number | string>): Promise<string> => {
    writeFileSync(join(workspace, 'program'), program32(number, args))
    chmodSync(join(workspace, 'program'), 0o755)
    return (await run('./program')).text
  }
  if (/exit code 126/.test(await call(15, 'kept', 0o600))) return t.pass('this kernel runs none')
  const numbers = tables.i386
  t.match(await call(numbers.chmod, 'kept', 0o640), /exit code 0\]/)
  t.equal(statSync(join(workspace, 'kept')).mode & 0o7777, 0o640, 'what is done every day is done')
  for (const [number, ...args] of [
    [numbers.chmod, 'kept', 0o6755], [numbers.fchmodat, -100, 'kept', 0o4755], [numbers.open, 'new', 0o101, 0o4755], [numbers.creat, 'new', 0o4755], [numbers.mknod, 'new', 0o104755],
    [numbers.keyctl, 0, 0], [numbers.ioctl, 0, 0x5412, 0], [numbers.unshare, 0x10000000]
  ] as Array<[number, ...Array<number | string>]>) t.match(await call(number, ...args), /exit code 1\]/, `${number}(${args.join(', ')})`)
  t.match(await call(numbers.socket, 40, 1, 0), /exit code 97\]/)
  t.match(await call(102, 1, 0), /exit code 97\]/, 'socketcall, which hides the kind of socket')
  t.match(await call(425, 1, 0), /exit code 38\]/)
  t.notOk(existsSync(join(workspace, 'new')))
  t.equal(statSync(join(workspace, 'kept')).mode & 0o6000, 0)
})

t.test('system calls that reach beyond the sandbox are refused', needsSandbox, async (t) => {
  const workspace = realPath(t.testdir({ kept: 'text' }))
  const run = confinedRun(sandbox, workspace)
  const modeOf = (name: string): number => statSync(join(workspace, name)).mode & 0o4000
  const openat = process.arch === 'x64' ? 257 : 56
  const ways = [
    'cp kept a; chmod 6755 a', 'cp kept b; chmod u+s b', 'cp kept c; chmod 755 c; chmod 4755 c', 'install -m 4755 kept d',
    'perl -e \'use Fcntl; sysopen(F, "e", O_CREAT | O_WRONLY, 04755)\'', `perl -e 'syscall(${openat}, -100, "f", 0x41, 04755)'`,
    'perl -e \'open(F, ">", "g"); chmod(06755, *F)\'', 'cp kept h; chmod 755 h; tar cf - --mode=4755 h | (rm h; tar xpf -)'
  ]
  for (const [index, way] of ways.entries()) {
    await run(way)
    const name = 'abcdefgh'[index] ?? ''
    t.equal(existsSync(join(workspace, name)) ? modeOf(name) : 0, 0, way)
  }
  const call = async (...args: Array<string | number>): Promise<string> => (await run(`perl -e '$! = 0; syscall(${args.join(', ')}); print "errno ", $! + 0'`)).text
  const numbers = process.arch === 'x64' ? tables.x86_64 : tables.arm64
  t.match(await call(numbers.keyctl, 0, 0, 0), /errno 1\b/, 'the keyring')
  t.match(await call(numbers.socket, 40, 1, 0), /errno 97\b/, 'the host of the machine')
  t.match(await call(numbers.ioctl, 0, 0x5412, 0), /errno 1\b/, 'typing into a terminal')
  t.match(await call(0x40000000 + 39), /errno 38\b/, 'another ABI')
  t.match(await call(425, 1, 0), /errno 38\b/, 'io_uring, which would go past the filter')
  t.match(await call(numbers.unshare, 0x10000000), /errno 1\b/, 'a namespace of its own, with rights over mounts')
  t.match(await call(435, 0, 0), /errno 38\b/, 'clone3, which hides what it is asked')
})

t.test('what programs do every day is let through', needsSandbox, async (t) => {
  const workspace = realPath(t.testdir({ kept: 'text', 'package.json': '{"name":"x","version":"1.0.0","bin":"x.js"}', 'x.js': '' }))
  const run = confinedRun(sandbox, workspace)
  const days = [
    'mkdir shared && chmod 2775 shared && mkdir -p shared/a/b && mkdir -m 2770 other && [ -g shared/a/b ] && [ -g other ]',
    'cp -a shared copy && [ -g copy ] && tar cf s.tar shared && rm -r copy && mkdir un && tar xpf s.tar -C un && [ -g un/shared ] && cp -p kept kept2 && install -m 755 kept kept3',
    'git init -q --shared=group repo && [ -g repo/.git ] && git -C repo -c user.name=a -c user.email=b commit -q --allow-empty -m x && git clone -q repo cloned',
    'npm install --offline --no-audit --no-fund --cache ./cache', 'mkfifo pipe && (echo x > pipe &) && cat pipe', 'ln kept linked && (sleep 0.1; echo done) & wait',
    'perl -e \'use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die; socket(C, AF_INET, SOCK_STREAM, 0) or die\'',
    'env -u NODE_OPTIONS node -e \'new (require("worker_threads").Worker)("0", { eval: true })\''
  ]
  for (const command of days) t.match(await run(command), { isError: false }, command)
})
