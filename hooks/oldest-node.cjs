// Ends a process whose Node is too old for chitta, before anything is loaded that such a Node cannot read. Written for
// every Node there is. A hook ends as if it had nothing to say; see bin/chitta.
var OLDEST = [20, 19];

var have = process.versions.node.split('.').map(Number);
if (have[0] < OLDEST[0] || (have[0] === OLDEST[0] && have[1] < OLDEST[1])) {
  var problem = 'it needs Node ' + OLDEST.join('.') + ' or newer, and this is ' + process.versions.node;
  var called = process.argv.slice(2);
  if (called[0] === 'mcp') {
    // The launcher serves nothing by itself, for as long as the client is there.
    var env = Object.assign({}, process.env, { CLAUDE_PLUGIN_OPTION_MCP: 'false' });
    process.stderr.write('chitta: ' + problem + '\n');
    require('child_process').spawnSync('sh', [__dirname + '/../bin/chitta', 'mcp'], { env: env, stdio: 'inherit' });
    process.exit(0);
  }
  if (called[0] !== 'hook') {
    process.stderr.write('chitta: ' + problem + '\n');
    process.exit(1);
  }
  if (called[1] === 'session-start' && process.env.CHITTA_DISABLE !== '1') {
    process.stdout.write(JSON.stringify({ systemMessage: 'chitta does nothing in this session: ' + problem }) + '\n');
  }
  process.exit(0);
}
