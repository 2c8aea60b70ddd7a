import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: '没有设置任何智能体，这台机器上也没有找到。设置方法见文档中的“Agents”一章。',
  installable: (count) => `可以安装的智能体：${count} 个`,
  installableNote:
    '来自公开的智能体注册表。请在本服务所在的机器上以其用户运行该行；服务不会安装任何东西。智能体下方的行写入 config.yaml。',
  asOf: (registry, versions) => `注册表为 ${registry} 的状态，版本为 ${versions} 的状态。`,
  proprietary: '专有软件',
  page: '了解更多',
  copyInstall: '复制安装命令',
  copySetup: '复制 config.yaml 的内容',
  asks: '操作前会询问',
  mayAct: '可以不询问就操作',
  blocked: '尚不能工作',
  unreached: '启动一次之后才知道它有哪些模式。',
  look: '启动并查看',
  noModes: '它没有工作模式。',
  modeAsks: '操作前会询问。',
  modeOff: '关闭：它可能不询问就操作。',
  modeOn: '已允许：可以不询问就操作。',
  any: '任何模式',
  anyNote: '包括没有模式的情况，以及它以后可能新增的模式。',
  allow: '允许',
  takeBack: '收回',
  allowTitle: (agent, mode) => `让 ${agent} 在“${mode}”模式下不询问就工作？`,
  anyTitle: (agent) => `让 ${agent} 在任何模式下不询问就工作？`,
  allowNote: '之后它可以更改和删除文件、运行程序、向任何地方发送数据：在沙箱允许的范围内；没有沙箱时，则以运行本服务的用户的权限。事先不会询问任何人，也不会显示任何内容。在你收回之前，对这个配置档案的所有对话都有效。',
  action: '允许它不询问就操作',
  allowed: (agent, mode) => `从下一个轮次起，${agent} 可以在“${mode}”模式下不询问就工作。`,
  anyAllowed: (agent) => `从下一个轮次起，${agent} 可以在任何模式下不询问就工作。`,
  takenBack: (agent) => `已收回对 ${agent} 的许可，从它的下一个轮次起生效。`,
  sandbox: '沙箱',
  runsWhere: (agent) => `${agent} 在哪里运行`,
  places: { auto: '有沙箱时在沙箱内', sandbox: '只在沙箱内', none: '在沙箱外' },
  outside: '在沙箱外运行',
  outsideTitle: (agent) => `让 ${agent} 在沙箱外运行？`,
  outsideNote: '之后它可以读取和更改运行本服务的用户能访问的一切：密钥、其他文件夹、正在运行的程序，以及这台机器上和它所在网络中的各种服务。在已知会询问的模式下，它操作前仍会询问。',
  isInside: (agent) => `从下一个轮次起，${agent} 使用沙箱。`,
  isOnlyInside: (agent) => `从下一个轮次起，${agent} 只在沙箱内运行。`,
  isOutside: (agent) => `从下一个轮次起，${agent} 在沙箱外运行。`,
  isolation: {
    outside: '在沙箱外运行，拥有运行本服务的用户的权限。',
    outside_for_lack: (reason) =>
      `在沙箱外运行，拥有运行本服务的用户的权限：${reason}。`,
    no_sandbox: (reason) =>
      `设为仅在沙箱中运行，但没有可用的沙箱：${reason}。`,
    container: '在容器的限制内运行，并使用容器的网络。',
    offline: '在沙箱中运行，没有网络。',
    whole_network: '在沙箱中运行，可使用这台机器的网络，包括其中的所有服务。',
    whole_network_open:
      '在沙箱中运行，可使用这台机器的网络，包括其中的所有服务。本服务无需登录，代理可能会使用它：请设置密码。',
    internet: (places) =>
      `在沙箱中运行。可以访问互联网，但在这台机器和专用网络中只能访问${places === '' ? '' : `${places}、`}其变量中的地址和它的 MCP 服务器。`,
    places: (places) =>
      `在沙箱中运行。只能访问${places === '' ? '' : `${places}、`}其变量中的地址和它的 MCP 服务器。`
  },
  isolationSees: '它只能写入其对话的文件夹和它自己的文件夹。主文件夹的其余部分不可见。'
}
