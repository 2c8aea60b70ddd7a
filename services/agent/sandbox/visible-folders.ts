import { within } from '../tools/containment.js'

/** The parts of the machine that a confined command sees, read-only: programs, libraries and their settings. Nothing else exists for it. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store', '/gnu/store',
  '/sys/devices/system', '/var/lib/dpkg', '/var/lib/rpm', '/var/lib/pacman', '/var/lib/gems', '/var/cache/fontconfig']

/** Folders that are private, and empty at every call. */
export const scratchFolders = ['/tmp', '/var/tmp']

/** Places of toolchains below a home folder. None of them holds credentials, unlike some of the folders that contain them. */
export const toolchains = ['.local/bin', '.local/lib', '.local/pipx', '.local/share/pipx', '.local/share/uv', '.local/share/mise/installs', '.local/share/fnm',
  '.nvm/versions', '.volta/bin', '.volta/tools', '.bun/bin', '.deno/bin', '.cargo/bin', '.rustup', '.pyenv', '.rbenv', '.asdf', '.sdkman/candidates', '.dotnet', '.ghcup', 'go/bin']

/** A workspace that is one of these folders, or contains one, would give access to the machine. */
const neverInside = [
  '/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/nix', '/gnu', '/boot', '/dev', '/proc', '/sys', '/run', '/tmp', '/var/tmp',
  '/var/lib', '/home'
]

/** A workspace must not lie in one of these folders either. */
const neverAround = ['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/share', '/usr/local/bin', '/usr/local/sbin', '/usr/local/lib',
  '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/nix', '/gnu', '/boot', '/dev', '/proc', '/sys']

/** Returns whether a folder belongs to the machine: if it were writable in the sandbox, it would be a way out of it. */
export const leadsOutOfSandbox = (folder: string): boolean =>
  neverInside.some((place) => within(folder, place)) || neverAround.some((place) => within(place, folder))
