import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
  note: '每个配置档案有自己的模型、密钥、记忆和设置。使用哪一个只对此浏览器生效。',
  toMemory: '所用档案的人格与笔记',
  single: '此服务只有一个配置档案。',
  active: '使用中',
  usual: '默认',
  hidden: '隐藏',
  running: '智能体运行中',
  facts: (model, skills, all) => `${model} · ${all} 个技能中启用 ${skills} 个`,
  noModel: '没有模型',
  keys: '有自己的密钥',
  switch: '切换到它',
  create: '新建配置档案',
  name: '名称',
  nameHint: '小写字母、数字、- 和 _，以字母或数字开头。',
  wrongName: '小写字母、数字、- 和 _，最多 64 个，以字母或数字开头。',
  from: '初始内容',
  nothing: '空白',
  copyOf: (name) => `复制“${name}”（设置、密钥、人格）`,
  created: (name) => `已新建“${name}”。`,
  clone: '复制',
  remove: '删除',
  removeTitle: (name) => `删除“${name}”`,
  removeNote: '它的文件夹会保留 30 天，不含密钥。它的对话不受影响。输入名称以继续。',
  removed: (name) => `已删除“${name}”。它的文件夹会保留 30 天。`
}
