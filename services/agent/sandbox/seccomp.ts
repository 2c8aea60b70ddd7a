import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchPrefix } from '../../ground/files/scratch.js'

// A filter of system calls for bubblewrap in the kernel's format: instructions of classic BPF over `struct seccomp_data`.

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** `flags`, `bits`: only if this argument has one of these bits. `values`: only if it is one of these; `others`: only if it is none. */
interface Rule {
  call: number
  errno: number
  flags?: [argument: number, bits: number]
  bits?: [argument: number, bits: number]
  values?: [argument: number, ...values: number[]]
  others?: [argument: number, ...values: number[]]
}

interface Abi { audit: number, rules: Rule[] }

const [load, isEqual, isAtLeast, hasBits, end] = [0x20, 0x15, 0x35, 0x45, 0x06]
const [callAt, archAt, argumentsAt] = [0, 4, 16]
const allow = 0x7fff0000
const refuse = (errno: number): number => 0x00050000 | errno
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
/** The set-group bit is not refused, because folders commonly have it: `special-bits.ts` removes it from files. */
const setUserBit = 0o4000
/** O_CREAT and O_TMPFILE: without them, the mode argument has no meaning. */
const makesFile = 0o20000100
const newUserNamespace = 0x10000000
/** Calls of the x32 ABI have this bit. */
const x32 = 0x40000000
/** SIGUSR1, which makes a Node.js process of the same user open its debugger, through which it can be made to do anything. */
const debugging = 10
/** F_SETSIG: makes the kernel send a signal that kill() would not be allowed to send. */
const setSignal = 10
/** RLIMIT_LOCKS, which the kernel no longer uses. Its value identifies a command in the container; see `landlock.ts`. */
const namingLimit = 10
/** Sockets of this machine (AF_UNIX), of the network, which is empty in a sandbox (AF_INET, AF_INET6), and of its settings (AF_NETLINK). */
const families = [1, 2, 10, 16]

/**
 * Calls that have the same numbers on all architectures: io_uring, and openat2 and clone3, whose arguments a filter cannot see. Programs
 * fall back to older calls.
 */
const everywhere: Rule[] = [425, 426, 427, 435, 437].map((call) => ({ call, errno: ENOSYS }))

/** What a filter is for: a sandbox of its own, or commands that share the container with the service. */
type FilterFor = 'sandbox' | 'container'

interface Numbers {
  alone: number[]
  socket: number
  ioctl: number
  namespaces: number[]
  modes: Array<[call: number, argument: number]>
  opens: Array<[call: number, flags: number, mode: number]>
  signals: Array<[call: number, argument: number]>
  fcntls: number[]
  limits: Array<[call: number, argument: number]>
}

/**
 * Refuses files with a set-user bit, which would run as the service's user outside; typing into a terminal (TIOCSTI, TIOCLINUX); sockets
 * that lead out of the sandbox, for example to the machine's host (AF_VSOCK); a user namespace, and with it rights over mounts; the
 * keyring; bpf, userfaultfd and perf. Commands that share the container with the service can see its processes and network. They must not
 * create sockets of this machine, which would reach programs of the same user, nor open debuggers.
 */
const rulesFor = ({ alone, socket, ioctl, namespaces, modes, opens, signals, fcntls, limits }: Numbers, purpose: FilterFor): Rule[] => [
  ...alone.map((call) => ({ call, errno: EPERM })),
  { call: socket, errno: EAFNOSUPPORT, others: [0, ...purpose === 'sandbox' ? families : families.filter((family) => family !== 1)] },
  { call: ioctl, errno: EPERM, values: [1, 0x5412, 0x541c] },
  ...namespaces.map((call): Rule => ({ call, errno: EPERM, bits: [0, newUserNamespace] })),
  ...modes.map(([call, argument]): Rule => ({ call, errno: EPERM, bits: [argument, setUserBit] })),
  ...opens.map(([call, flags, mode]): Rule => ({ call, errno: EPERM, flags: [flags, makesFile], bits: [mode, setUserBit] })),
  ...purpose === 'container' ? containerRules({ signals, fcntls, limits }) : [],
  ...everywhere
]

/** pidfd_send_signal, which has the same number on all architectures. */
const pidfdSignal: [number, number] = [424, 1]

/** Returns the additional rules for commands that share the container with the service. */
const containerRules = ({ signals, fcntls, limits }: Pick<Numbers, 'signals' | 'fcntls' | 'limits'>): Rule[] => [
  ...[...signals, pidfdSignal].map(([call, argument]): Rule => ({ call, errno: EPERM, values: [argument, debugging] })),
  ...fcntls.map((call): Rule => ({ call, errno: EPERM, values: [1, setSignal] })),
  ...limits.map(([call, argument]): Rule => ({ call, errno: EPERM, values: [argument, namingLimit] }))
]

/**
 * The ABIs whose programs a processor runs. The numbers are always in this order: add_key, request_key, keyctl, perf_event_open, bpf,
 * userfaultfd; clone, unshare; chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat; open, openat; kill, tkill, tgkill,
 * rt_sigqueueinfo, rt_tgsigqueueinfo; fcntl; setrlimit, prlimit64. Of the calls with a path, arm64 has only the newer ones.
 */
const architectures: Partial<Record<NodeJS.Architecture, (purpose: FilterFor) => Abi[]>> = {
  x64: (purpose) => [
    {
      audit: 0xc000003e,
      rules: rulesFor({
        alone: [248, 249, 250, 298, 321, 323], socket: 41, ioctl: 16, namespaces: [56, 272],
        modes: [[90, 1], [91, 1], [268, 2], [452, 2], [85, 1], [133, 1], [259, 2]], opens: [[2, 1, 2], [257, 2, 3]],
        signals: [[62, 1], [200, 1], [234, 2], [129, 1], [297, 2]], fcntls: [72], limits: [[160, 0], [302, 1]]
      }, purpose)
    },
    {
      audit: 0x40000003,
      rules: [
        ...rulesFor({
          alone: [286, 287, 288, 336, 357, 374], socket: 359, ioctl: 54, namespaces: [120, 310],
          modes: [[15, 1], [94, 1], [306, 2], [452, 2], [8, 1], [14, 1], [297, 2]], opens: [[5, 1, 2], [295, 2, 3]],
          signals: [[37, 1], [238, 1], [270, 2], [178, 1], [335, 2]], fcntls: [55, 221], limits: [[75, 0], [340, 1]]
        }, purpose),
        // The filter cannot see what kind of socket socketcall creates.
        { call: 102, errno: EAFNOSUPPORT, values: [0, 1] }
      ]
    }
  ],
  arm64: (purpose) => [
    {
      audit: 0xc00000b7,
      rules: rulesFor({
        alone: [217, 218, 219, 241, 280, 282], socket: 198, ioctl: 29, namespaces: [220, 97], modes: [[52, 1], [53, 2], [452, 2], [33, 2]],
        opens: [[56, 2, 3]], signals: [[129, 1], [130, 1], [131, 2], [138, 1], [240, 2]], fcntls: [25], limits: [[164, 0], [261, 1]]
      }, purpose)
    },
    {
      audit: 0x40000028,
      rules: rulesFor({
        alone: [309, 310, 311, 364, 386, 388], socket: 281, ioctl: 54, namespaces: [120, 337],
        modes: [[15, 1], [94, 1], [333, 2], [452, 2], [8, 1], [14, 1], [324, 2]], opens: [[5, 1, 2], [322, 2, 3]],
        signals: [[37, 1], [238, 1], [268, 2], [178, 1], [363, 2]], fcntls: [55, 221], limits: [[75, 0], [369, 1]]
      }, purpose)
    }
  ]
}

/** Returns the filter for a processor; null if there is none. */
export function seccompProgram (arch: NodeJS.Architecture = process.arch, purpose: FilterFor = 'sandbox'): Buffer | null {
  const abis = architectures[arch]?.(purpose)
  if (abis === undefined) return null
  const program: Instruction[] = [
    [load, 0, 0, archAt],
    ...abis.flatMap(({ audit, rules }): Instruction[] => {
      const body: Instruction[] = [
        [load, 0, 0, callAt], [isAtLeast, 0, 1, x32], [end, 0, 0, refuse(ENOSYS)],
        ...rules.flatMap(instructionsOf),
        [end, 0, 0, allow]
      ]
      return [[isEqual, 0, body.length, audit], ...body]
    }),
    // Another ABI has other numbers for its calls, so none of them could be recognised.
    [end, 0, 0, refuse(ENOSYS)]
  ]
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  })
  return bytes
}

/** Compiles a rule. The number of the call is loaded before and after it; a call that does not match continues after it. */
function instructionsOf ({ call, errno, flags, bits, values = [0], others = [0] }: Rule): Instruction[] {
  const refusal: Instruction = [end, 0, 0, refuse(errno)]
  const [argument, ...wanted] = values
  const [kind, ...known] = others
  const checks: Instruction[] = []
  if (bits !== undefined) checks.push(at(bits[0]), [hasBits, 0, 1, bits[1]], refusal)
  for (const value of wanted) checks.push(at(argument), [isEqual, 0, 1, value], refusal)
  if (known.length > 0) {
    checks.push(at(kind), ...known.map((value, index): Instruction => [isEqual, known.length - index, 0, value]), refusal)
  }
  if (flags !== undefined) checks.unshift(at(flags[0]), [hasBits, 0, checks.length, flags[1]])
  const body: Instruction[] = checks.length === 0 ? [refusal] : [...checks, [load, 0, 0, callAt]]
  return [[isEqual, 0, body.length, call], ...body]
}

/** Loads the lower half of an argument, which is all that these calls use. */
const at = (argument: number): Instruction => [load, 0, 0, argumentsAt + 8 * argument]

const written = new Map<FilterFor, string>()

/** Returns a file with the filter, in a folder that confined commands cannot see; null if there is none for this processor. */
export function seccompFile (purpose: FilterFor = 'sandbox'): string | null {
  const known = written.get(purpose)
  if (known !== undefined && existsSync(known)) return known
  const program = seccompProgram(process.arch, purpose)
  if (program === null) return null
  const folder = mkdtempSync(scratchPrefix('filter'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'calls.bpf')
  writeFileSync(file, program, { mode: 0o400 })
  written.set(purpose, file)
  return file
}
