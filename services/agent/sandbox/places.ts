import { within } from '../tools/containment.js'

/** What a confined command sees of the machine, read-only: programs, libraries and their settings. Anything else is not there. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store', '/gnu/store',
  '/sys/devices/system', '/var/lib/dpkg', '/var/lib/rpm', '/var/lib/pacman', '/var/lib/gems', '/var/cache/fontconfig']

/** Private and empty at every call. */
export const scratchFolders = ['/tmp', '/var/tmp']

/** Where toolchains live below a home folder. None of them holds credentials, unlike the folders some of them lie in. */
export const toolchains = ['.local/bin', '.local/lib', '.local/pipx', '.local/share/pipx', '.local/share/uv', '.local/share/mise/installs', '.local/share/fnm',
  '.nvm/versions', '.volta/bin', '.volta/tools', '.bun/bin', '.deno/bin', '.cargo/bin', '.rustup', '.pyenv', '.rbenv', '.asdf', '.sdkman/candidates', '.dotnet', '.ghcup', 'go/bin']

/** A workspace that is one of these, or holds one, would open the machine. */
const neverInside = [
  '/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/nix', '/gnu', '/boot', '/dev', '/proc', '/sys', '/run', '/tmp', '/var/tmp',
  '/var/lib', '/home'
]

/** Neither may a workspace lie in one of these. */
const neverAround = ['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/share', '/usr/local/bin', '/usr/local/sbin', '/usr/local/lib',
  '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/nix', '/gnu', '/boot', '/dev', '/proc', '/sys']

/** True for folders that belong to the machine: writable inside the sandbox, they would be the way out of it. */
export const leadsOutOfSandbox = (folder: string): boolean =>
  neverInside.some((place) => within(folder, place)) || neverAround.some((place) => within(place, folder))
