import { spawn } from 'node:child_process'
import { pickVariables } from './environment.js'

/** The variables that desktop programs need: no keys and no passwords of the service. */
const needed = [
  'PATH', 'HOME', 'USER', 'LANG', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP', 'XDG_DATA_DIRS', 'XDG_CONFIG_DIRS', 'BROWSER', 'WSL_DISTRO_NAME', 'WSL_INTEROP'
]

/** The argument that makes the service open its app in a browser once it is ready. */
export const openArgument = '--open'

/** Opens an address in the browser of this machine's user. Calls `failed` if there is none. */
export function openBrowser (url: string, environment: NodeJS.ProcessEnv, failed: () => void): void {
  const program = process.platform === 'darwin' ? 'open' : environment['WSL_DISTRO_NAME'] === undefined ? 'xdg-open' : 'wslview'
  const opener = spawn(program, [url], { env: pickVariables(environment, needed), stdio: 'ignore', detached: true })
  opener.on('error', failed)
  opener.on('exit', (code) => { if (code !== 0) failed() })
  opener.unref()
}
