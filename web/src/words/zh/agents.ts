import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: '没有设置任何智能体，这台机器上也没有找到。设置方法见文档中的“智能体”一章。',
  asks: '操作前会询问',
  mayAct: '可以不询问就操作',
  blocked: '尚不能工作',
  unreached: '启动一次之后才知道它有哪些模式。',
  look: '启动并查看',
  noModes: '它没有工作模式。',
  modeAsks: '操作前会询问。',
  modeOff: '关闭：不确定它会询问。',
  modeOn: '已允许：可以不询问就操作。',
  any: '任何模式',
  anyNote: '包括没有模式的情况，以及它以后可能新增的模式。',
  allow: '允许',
  takeBack: '收回',
  allowTitle: (agent, mode) => `让 ${agent} 在“${mode}”模式下不询问就工作？`,
  anyTitle: (agent) => `让 ${agent} 在任何模式下不询问就工作？`,
  allowNote: '之后它可以更改和删除文件、运行程序、向任何地方发送数据，使用运行本服务的用户的权限，且不受沙箱限制。事先不会出现许可卡片，完成之前没有人看得到。在你收回之前，对这个配置档案的所有对话都有效。',
  deed: '允许它不询问就操作',
  allowed: (agent, mode) => `从下一个轮次起，${agent} 可以在“${mode}”模式下不询问就工作。`,
  anyAllowed: (agent) => `从下一个轮次起，${agent} 可以在任何模式下不询问就工作。`,
  takenBack: (agent) => `已收回对 ${agent} 的许可，从它的下一个轮次起生效。`
}
