export const agents = {
  none: 'No agent is set up, and none was found on this machine. The documentation, under Agents, explains how to set one up.',
  installable: (count: number): string => count === 1 ? '1 agent can be installed' : `${count} agents can be installed`,
  installableNote:
    'From the public registry of agents. Run a line on the machine of this service, as its user; the service installs nothing. Lines below an agent go into config.yaml.',
  asOf: (registry: string, versions: string): string => `The registry is of ${registry}, the versions are of ${versions}.`,
  proprietary: 'Proprietary',
  page: 'Learn more',
  copyInstall: 'Copy the install line',
  copySetup: 'Copy the lines for config.yaml',
  asks: 'Asks before it acts',
  mayAct: 'May act without asking',
  blocked: 'Does not work yet',
  unreached: 'Start it once to see its modes.',
  look: 'Start it',
  noModes: 'It has no modes.',
  modeAsks: 'It asks before it acts.',
  modeOff: 'Off, because it may act without asking.',
  modeOn: 'Allowed: it may act without asking.',
  any: 'Any mode',
  anyNote: 'Including modes that it gets later, and when it has none.',
  allow: 'Allow',
  takeBack: 'Revoke',
  allowTitle: (agent: string, mode: string): string => `Let ${agent} work in “${mode}” without asking?`,
  anyTitle: (agent: string): string => `Let ${agent} work in any mode without asking?`,
  allowNote:
    'It can then change and delete files, run programs and send data anywhere: within its sandbox or, without one, with the rights of the ' +
    'user that runs this service. Nobody is asked or shown anything first. This applies to every chat of this profile until you revoke it.',
  action: 'Let it act without asking',
  allowed: (agent: string, mode: string): string => `${agent} may work in “${mode}” without asking, from its next turn on.`,
  anyAllowed: (agent: string): string => `${agent} may work in any mode without asking, from its next turn on.`,
  takenBack: (agent: string): string => `Revoked for ${agent}, from its next turn on.`,
  sandbox: 'Sandbox',
  runsWhere: (agent: string): string => `Where ${agent} runs`,
  places: { auto: 'In the sandbox, if there is one', sandbox: 'Only in the sandbox', none: 'Outside the sandbox' },
  outside: 'Run outside the sandbox',
  outsideTitle: (agent: string): string => `Run ${agent} outside the sandbox?`,
  outsideNote:
    'It can then read and change everything that the user of this service can: keys, other folders, running programs, and whatever listens ' +
    'on this machine and in its networks. It still asks before it acts, in the modes in which it is known to.',
  isInside: (agent: string): string => `${agent} uses the sandbox, from its next turn on.`,
  isOnlyInside: (agent: string): string => `${agent} runs only in the sandbox, from its next turn on.`,
  isOutside: (agent: string): string => `${agent} runs outside the sandbox, from its next turn on.`,
  isolation: {
    outside: 'Runs outside the sandbox, with the rights of the user that runs this service.',
    outside_for_lack: (reason: string): string =>
      `Runs outside the sandbox, with the rights of the user that runs this service: ${reason}.`,
    no_sandbox: (reason: string): string =>
      `Set to run in the sandbox only, and there is none: ${reason}.`,
    container: 'Runs within the limits of the container and has its network.',
    offline: 'Runs in the sandbox, without network.',
    whole_network: 'Runs in the sandbox and has the network of this machine, with all that listens there.',
    whole_network_open:
      'Runs in the sandbox and has the network of this machine, with all that listens there. This service needs no sign-in, so the agent could use it: set a password.',
    internet: (places: string): string =>
      `Runs in the sandbox. Reaches the internet, but nothing on this machine or in private networks except ${places === '' ? '' : `${places}, `}the addresses in its variables and its MCP servers.`,
    places: (places: string): string =>
      `Runs in the sandbox. Reaches only ${places === '' ? '' : `${places}, `}the addresses in its variables and its MCP servers.`
  },
  isolationSees: 'It can write only in the folder of its chat and in its own folders. The rest of the home folder is hidden.'
}
