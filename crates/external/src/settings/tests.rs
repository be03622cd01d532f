use super::*;

fn set(name: &str) -> Option<SecretString> {
    match name {
        "PATH" => Some("/bin".into()),
        "HOME" => Some("/home/ada".into()),
        "OWN_KEY" => Some("own-key-0123456789".into()),
        "DWELL_TOKEN" => Some("never to be seen by a child".into()),
        _ => None,
    }
}

fn read(toml: &str) -> Result<LoadedServers, Error> {
    load(toml::from_str(toml).unwrap(), &set)
}

fn problem(toml: &str) -> String {
    read(toml).err().unwrap().to_string()
}

#[test]
fn a_program_gets_what_is_said_and_three_variables_of_ours() {
    let loaded = read(
        "[files]\ncommand = \"mcp-files\"\nargs = [\"--root\", \"/srv\"]\ncwd = \"/srv\"\n\
         env = { FILES_KEY = \"env:OWN_KEY\", LOG = \"debug-everything\", HOME = \"/tmp\" }",
    )
    .unwrap();
    let Transport::Process(program) = &loaded.servers[0].reach else { panic!("it is a program") };
    let env: Vec<(&str, &str)> =
        program.env.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    let expected =
        [("PATH", "/bin"), ("FILES_KEY", "own-key-0123456789"), ("HOME", "/tmp"), ("LOG", "debug-everything")];
    assert_eq!(env, expected);
    assert_eq!((program.command.as_str(), program.args.len()), ("mcp-files", 2));
    let secrets: Vec<&str> = loaded.secrets.iter().map(ExposeSecret::expose_secret).collect();
    assert!(secrets.contains(&"own-key-0123456789") && !secrets.contains(&"debug-everything"), "{secrets:?}");
}

#[test]
fn headers_may_name_secrets_and_are_kept_from_everybody() {
    let loaded = read(
        "[shop]\nurl = \"https://shop.example/mcp?key=in-the-address\"\n\
         headers = { Authorization = \"Bearer abcdefgh\", X-Region = \"europe-west\", X-Own = \"env:OWN_KEY\" }",
    )
    .unwrap();
    let Transport::Http(address) = &loaded.servers[0].reach else { panic!("it has an address") };
    assert_eq!(address.headers.len(), 3);
    assert!(address.headers.values().all(HeaderValue::is_sensitive));
    assert!(!address.allow_private);
    let secrets: Vec<&str> = loaded.secrets.iter().map(ExposeSecret::expose_secret).collect();
    for secret in ["abcdefgh", "Bearer abcdefgh", "own-key-0123456789", "in-the-address"] {
        assert!(secrets.contains(&secret), "{secret} {secrets:?}");
    }
    assert!(!secrets.contains(&"europe-west"));
}

#[test]
fn nothing_is_let_in_or_believed_unless_that_is_said() {
    let loaded = read("[files]\ncommand = \"mcp-files\"").unwrap();
    let server = &loaded.servers[0];
    assert!(server.allow.is_empty() && !server.trust_annotations && server.tools.is_empty());
    assert_eq!((server.timeout, server.start_timeout), (Duration::from_secs(30), Duration::from_secs(30)));
}

#[test]
fn what_is_wrong_is_named() {
    for (toml, expected) in [
        ("[files]", "`mcp.servers.files` needs a `command`"),
        ("[Files]\ncommand = \"x\"", "`mcp.servers.Files` needs another name"),
        ("[files]\ncommand = \"x\"\nurl = \"http://a/\"", "cannot be combined with `command`"),
        ("[files]\ncommand = \" \"", "`mcp.servers.files.command` must not be empty"),
        ("[files]\ncommand = \"x\"\nheaders = { a = \"b\" }", "are for servers with a `url`"),
        ("[files]\nurl = \"http://a/\"\nargs = [\"b\"]", "programs to start"),
        ("[files]\nurl = \"ftp://a/\"", "must begin with http"),
        ("[files]\nurl = \"files\"", "full URL"),
        ("[files]\nurl = \"http://ada:pw@a/\"", "must not hold a user name"),
        ("[files]\nurl = \"http://a/\"\nheaders = { Mcp-Session-Id = \"b\" }", "is set by Dwell itself"),
        ("[files]\nurl = \"http://a/\"\nheaders = { a = \"env:NOT_THERE\" }", "names the variable `NOT_THERE`"),
        ("[files]\ncommand = \"x\"\nenv = { A = \"env:NOT_THERE\" }", "`mcp.servers.files.env.A` names the variable"),
        ("[files]\ncommand = \"x\"\ntimeout_ms = 0", "`mcp.servers.files.timeout_ms` must be from 1"),
        ("[files]\ncommand = \"x\"\nstart_timeout_ms = 600001", "must be from 1"),
        ("[files]\ncommand = \"x\"\ncalls_per_minute_max = 0", "must be 1 or more"),
        ("[files]\ncommand = \"x\"\nallow = [\"\"]", "has an empty pattern"),
        ("[files]\ncommand = \"x\"\ntools.a.effect = \"verifiable\"", "`mcp.servers.files.tools.a.effect` cannot"),
        ("[files]\ncommand = \"x\"\ntools.a.description = \"\"", "must not be empty"),
    ] {
        let told = problem(toml);
        assert!(told.contains(expected), "{toml}: {told}");
    }
    assert!(
        toml::from_str::<BTreeMap<String, ServerDeclaration>>("[files]\ncomand = \"x\"").is_err(),
        "a slip is not ignored"
    );
}
