import { reason, type Reason } from '../../../../reasons/index.js'
import { afterOptions, hasOption } from '../tables/options.js'
import { subcommands } from '../tables/subcommands.js'

/** The program needs a network, which a sandbox lacks and a container has. */
const network = 'needs_network'
/** The same, and the program changes something there: an account, a package that others install, another machine. */
const elsewhere = 'needs_network_elsewhere'
const machine = 'acts_on_machine'
const rights = 'acts_with_rights'
const processes = 'reaches_processes'
type Why = typeof network | typeof elsewhere | typeof machine | typeof rights | typeof processes

/** A rule about which calls of a program have to run outside a sandbox. The first rule that matches counts. */
interface Leaving {
  why: Why
  /** Only these subcommands. */
  only?: ReadonlySet<string>
  /** All subcommands except these. */
  except?: ReadonlySet<string>
  /** Only calls for which this returns true; `args` are the words after the subcommand, or all words if the program has none. */
  when? (args: readonly string[]): boolean
}

/** Why a call has to leave a sandbox, as the end of the sentence "Leaves the sandbox: …". `onlyNetwork`: it lacks only a network. */
export interface Departure { why: Reason, onlyNetwork: boolean }

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const every = (names: string, why: Why): Array<[string, Leaving[]]> => names.split(' ').map((name) => [name, [{ why }]])
const ofNode = words('install i ci add in update up upgrade publish unpublish deprecate view info show v search outdated audit login logout whoami adduser owner token access team org ping star stars profile dist-tag ' +
  'exec x init create dlx fetch import patch fund doctor docs repo bugs global')
const publishing = words('publish unpublish deprecate login logout adduser owner token access team org star dist-tag')
const hostPath = (args: readonly string[]): boolean =>
  args.some((arg) => !arg.startsWith('-') && (/^[^/]+:/.test(arg) || arg.startsWith('rsync://')))
const offline = (args: readonly string[]): boolean => hasOption(args, '', '--offline', '--frozen-offline', '--no-install', '--no')

/** The closed table of calls that predictably cannot work in a sandbox. */
const leaving: ReadonlyMap<string, Leaving[]> = new Map<string, Leaving[]>([
  ...every('curl wget http https xh aria2c ping ping6 traceroute tracepath mtr dig nslookup host whois bunx uvx uv pipx yt-dlp youtube-dl rustup nvm sdk', network),
  ...every('ssh scp sftp mosh autossh ssh-copy-id sshpass nc ncat netcat socat telnet ftp lftp nmap tcpdump mail mailx sendmail psql pg_dump pg_restore mysql mysqldump redis-cli mongo mongosh mongodump gh glab hub ' +
    'aws gcloud gsutil bq az doctl heroku vercel netlify fly flyctl wrangler firebase kubectl helm k9s kustomize oc rclone s3cmd ansible ansible-playbook ansible-galaxy vagrant packer pulumi ' +
    'torsocks proxychains proxychains4', elsewhere),
  ...every('systemctl service journalctl loginctl hostnamectl timedatectl localectl launchctl systemd-run crontab at batch mount umount losetup modprobe insmod rmmod sysctl dmesg iptables ip6tables nft ufw firewall-cmd ' +
    'ip ifconfig route nmcli useradd userdel usermod groupadd groupdel passwd chpasswd adduser deluser visudo apt apt-get aptitude dnf yum zypper pacman apk brew port snap flatpak dpkg rpm update-alternatives ' +
    'docker docker-compose podman nerdctl buildah skopeo minikube kind virsh lxc incus nix nix-env nix-shell fdisk parted sfdisk gparted defaults osascript open xdg-open notify-send', machine),
  ...every('sudo doas su run0 pkexec runuser gosu su-exec setpriv chroot nsenter', rights),
  ...every('pkill killall fuser', processes),
  ['kill', [{
    why: processes, when: (args) => args.some((arg, index) => /^\d+$/.test(arg) && !/^-(?:s|-signal)$/.test(args[index - 1] ?? ''))
  }]],
  ['renice', [{ why: processes }]],
  ['git', [
    { why: elsewhere, only: words('push send-email svn p4 daemon instaweb send-pack http-push imap-send') },
    { why: network, only: words('fetch pull clone ls-remote request-pull fetch-pack http-fetch') },
    { why: network, only: words('submodule'), when: ([first]) => ['update', 'add'].includes(first ?? '') },
    { why: network, only: words('remote'), when: ([first]) => ['update', 'show', 'prune', 'set-head'].includes(first ?? '') },
    { why: elsewhere, only: words('lfs'), when: ([first]) => ['push', 'lock', 'unlock'].includes(first ?? '') },
    { why: network, only: words('lfs'), when: ([first]) => ['fetch', 'pull', 'clone', 'locks'].includes(first ?? '') },
    { why: network, only: words('archive'), when: (args) => args.some((arg) => arg.startsWith('--remote')) }
  ]],
  ['svn', [{ why: elsewhere, except: words('status st diff di info add revert cleanup') }]],
  ['hg', [{ why: elsewhere, only: words('push') }, { why: network, only: words('pull clone incoming in outgoing out identify') }]],
  ['npm', [{ why: elsewhere, only: publishing }, { why: network, only: ofNode, when: (args) => !offline(args) }]],
  ['pnpm', [{ why: elsewhere, only: publishing }, { why: network, only: new Set([...ofNode].filter((word) => word !== 'exec')), when: (args) => !offline(args) }]],
  ['yarn', [{ why: elsewhere, only: publishing }, { why: network, only: new Set([...ofNode, ''].filter((word) => word !== 'exec')), when: (args) => !offline(args) }]],
  ['bun', [{ why: elsewhere, only: publishing }, { why: network, only: ofNode }]],
  ['npx', [{ why: network }]],
  ['deno', [{
    why: elsewhere, only: words('publish')
  }, {
    why: network, only: words('add install cache upgrade outdated')
  }, { why: network, when: (args) => args.some((arg) => /^(?:https?:|jsr:|npm:)/.test(arg)) }]],
  ['pip', [{ why: network, only: words('install download search wheel index'), when: (args) => !hasOption(args, '', '--no-index') }]],
  ['pipenv', [{ why: network, only: words('install update sync lock upgrade') }]],
  ['poetry', [{ why: elsewhere, only: words('publish') }, { why: network, only: words('install add update lock search self sync') }]],
  ['pdm', [{ why: elsewhere, only: words('publish') }, { why: network, only: words('install add update lock sync self') }]],
  ['conda', [{ why: network, only: words('install create update upgrade search env remove') }]],
  ['cargo', [{ why: elsewhere, only: words('publish login logout owner yank') }, {
    why: network, only: words('fetch install add update search'), when: (args) => !offline(args)
  }]],
  ['go', [
    { why: network, only: words('get install') },
    { why: network, only: words('mod'), when: ([first]) => ['download', 'tidy'].includes(first ?? '') }
  ]],
  ['gem', [
    { why: elsewhere, only: words('push yank owner signin') }, { why: network, only: words('install update fetch search outdated') }
  ]],
  ['bundle', [{ why: network, only: words('install update outdated add lock') }]],
  ['composer', [{ why: network, only: words('install update require create-project search outdated global self-update') }]],
  ['dotnet', [{ why: elsewhere, only: words('nuget') }, { why: network, only: words('restore add tool workload') }]],
  ['rsync', [{ why: elsewhere, when: hostPath }]],
  ['terraform', [{ why: elsewhere, except: words('fmt validate version graph') }]],
  ['tofu', [{ why: elsewhere, except: words('fmt validate version graph') }]],
  ['openssl', [{ why: network, only: words('s_client s_server ocsp') }]]
])

/** Returns why this call has to leave a sandbox; null if it can stay. */
export function whyLeaves (program: string, args: readonly string[]): Departure | null {
  if (program === 'npx' && hasOption(args, '', '--no-install', '--no')) return null
  const options = subcommands.get(program)
  const at = options === undefined ? -1 : afterOptions(args, options)
  const subcommand = at === -1 ? undefined : args[at] ?? ''
  const rule = leaving.get(program)?.find(({ only, except, when }) =>
    (only === undefined || (subcommand !== undefined && only.has(subcommand))) && (except === undefined || !except.has(subcommand ?? '')) &&
      (when === undefined || when(args.slice(at + 1))))
  if (rule === undefined || asksOnly(args)) return null
  const named = subcommand !== undefined && (rule.only ?? rule.except) !== undefined && /^[a-z][a-z-]*$/.test(subcommand)
  return { why: reason(rule.why, { command: named ? `${program} ${subcommand}` : program }), onlyNetwork: rule.why === network }
}

/** `curl --version` contacts nothing. */
const asksOnly = (args: readonly string[]): boolean => args.length === 1 && /^(?:--version|--help)$/.test(args[0] ?? '')
