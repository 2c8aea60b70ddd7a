import { type Words } from '../en/index.js'

export const plan: Words['plan'] = {
  mode: '计划模式',
  modeNote: '智能体只读取和提问。在你启动计划之前，它不做任何更改。',
  steps: (title, count) => `${title === '' ? '计划' : title} · ${count} 个步骤`,
  open: '打开计划',
  go: '开始',
  noSteps: '计划没有步骤。请写成任务列表：- [ ] …',
  none: '还没有计划。',
  noneNote: '在消息框下方打开计划模式，说明要做什么。也可以自己写计划。',
  write: '写计划',
  edit: '编辑',
  text: '计划（Markdown）',
  version: (version, author) => `第 ${version} 版，${author === 'agent' ? '由智能体撰写' : '由你编辑'}`,
  started: '已开始',
  comment: (line) => `评论第 ${line} 行`,
  changedMeanwhile: '你开始编辑后计划已更改。你的文本还在这里。',
  refused: {
    plan_changed: '计划在此期间已更改。你的文本还在这里。',
    plan_started: '计划已在另一台设备上开始。',
    agent_running: '智能体正在工作。等它完成后再开始计划。'
  }
}
