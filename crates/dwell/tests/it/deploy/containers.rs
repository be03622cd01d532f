//! Compose files and manifests of Kubernetes: what they name in each other exists, and the settings
//! that they contain are settings of the program.

use reqwest::Method;
use serde_json::{Value, json};

use super::{documents, folder};
use crate::program;

const HEALTH: [&str; 2] = ["/usr/bin/dwell", "health"];
/// The user of the image, in `crates/xtask/src/dist/image.rs`.
const USER: u64 = 65_532;

fn manifests() -> Vec<Value> {
    let [list] = documents("kubernetes/kustomization.yaml").try_into().unwrap();
    let files = list["resources"].as_array().unwrap();
    files.iter().flat_map(|file| documents(&format!("kubernetes/{}", file.as_str().unwrap()))).collect()
}

fn of_kind<'a>(manifests: &'a [Value], kind: &str) -> &'a Value {
    manifests.iter().find(|manifest| manifest["kind"] == kind).unwrap_or_else(|| panic!("there is no {kind}"))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn manifests_name_what_is_there() {
    let manifests = manifests();
    let files = std::fs::read_dir(folder().join("kubernetes")).unwrap();
    let files = files.filter(|entry| entry.as_ref().unwrap().path().is_file()).count();
    let [list] = documents("kubernetes/kustomization.yaml").try_into().unwrap();
    assert_eq!(list["resources"].as_array().unwrap().len() + 1, files, "every file is in the list");

    let set = &of_kind(&manifests, "StatefulSet")["spec"];
    let (pod, container) = (&set["template"]["spec"], &set["template"]["spec"]["containers"][0]);
    let labels = &set["template"]["metadata"]["labels"];
    assert_eq!(&set["selector"]["matchLabels"], labels);
    assert_eq!(set["replicas"], 1, "a journal has one writer");
    let service = of_kind(&manifests, "Service");
    assert_eq!((&service["spec"]["selector"], &set["serviceName"]), (labels, &service["metadata"]["name"]));
    assert_eq!(service["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"]);
    assert_eq!(container["ports"][0]["containerPort"], 7437);
    let backend = &of_kind(&manifests, "Ingress")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"];
    assert_eq!((&backend["name"], &backend["port"]["name"]), (&service["metadata"]["name"], &json!("http")));
    assert_eq!(&of_kind(&manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"], labels);

    let mut volumes = names(&pod["volumes"]);
    volumes.push(set["volumeClaimTemplates"][0]["metadata"]["name"].as_str().unwrap());
    assert!(names(&container["volumeMounts"]).iter().all(|mount| volumes.contains(mount)));
    assert_eq!(pod["volumes"][0]["configMap"]["name"], of_kind(&manifests, "ConfigMap")["metadata"]["name"]);

    assert_eq!(pod["securityContext"]["runAsUser"], USER);
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert_eq!(container["readinessProbe"]["exec"]["command"], json!(HEALTH));
}

#[tokio::test]
async fn settings_of_manifests_are_settings_of_the_program() {
    let manifests = manifests();
    let text = of_kind(&manifests, "ConfigMap")["data"]["config.toml"].as_str().unwrap();
    let program = program();
    let file = program.folder().join("kubernetes.toml");
    std::fs::write(&file, text).unwrap();
    let shown = program.run(&["config", "--config", file.to_str().unwrap()]).await;
    assert!(shown.status.success(), "{}", shown.stderr);
    let host = of_kind(&manifests, "Ingress")["spec"]["rules"][0]["host"].as_str().unwrap();
    assert!(text.contains(host), "the server knows the name of the ingress");

    // The probe names a host that the server knows without settings.
    let set = of_kind(&manifests, "StatefulSet");
    let probe = &set["spec"]["template"]["spec"]["containers"][0]["livenessProbe"]["httpGet"];
    let header = &probe["httpHeaders"][0];
    assert_eq!(header["name"], "Host");
    let server = program.start().await;
    let headers = [("host", header["value"].as_str().unwrap())];
    let answer = server.rest_as(None).call(Method::GET, probe["path"].as_str().unwrap(), None, &headers).await;
    assert_eq!(answer.ok()["status"], "ok");
}

#[test]
fn compose_files_run_the_image_as_it_is_made() {
    let [compose] = documents("compose/compose.yaml").try_into().unwrap();
    let dwell = &compose["services"]["dwell"];
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(dwell["image"], format!("dwell:${{DWELL_VERSION:-{version}}}"));
    assert_eq!(dwell["healthcheck"]["test"], json!(["CMD", HEALTH[0], HEALTH[1]]));
    assert_eq!(dwell["ports"], json!(["127.0.0.1:7437:7437"]), "it is not open to the network");
    assert_eq!(dwell["read_only"], true);
    let volume = dwell["volumes"][0].as_str().unwrap().split(':').next().unwrap();
    assert!(compose["volumes"].as_object().unwrap().contains_key(volume));

    let [with_caddy] = documents("compose/with-caddy.yaml").try_into().unwrap();
    let (dwell, caddy) = (&with_caddy["services"]["dwell"], &with_caddy["services"]["caddy"]);
    let proxy = &caddy["networks"]["front"]["ipv4_address"];
    assert_eq!(&dwell["environment"]["DWELL_SERVER_TRUSTED_PROXIES"], proxy, "the server knows its proxy");
    let file = caddy["volumes"][0].as_str().unwrap().split(':').next().unwrap();
    assert!(folder().join("compose").join(file).is_file(), "{file}");
}

#[tokio::test]
async fn files_for_several_nodes_name_what_is_there() {
    let manifests = documents("kubernetes/cluster/dwell.yaml");
    let set = &of_kind(&manifests, "Deployment")["spec"];
    let (pod, container) = (&set["template"]["spec"], &set["template"]["spec"]["containers"][0]);
    let labels = &set["template"]["metadata"]["labels"];
    assert_eq!(&set["selector"]["matchLabels"], labels);
    assert_eq!(&of_kind(&manifests, "Service")["spec"]["selector"], labels);
    assert_eq!(&of_kind(&manifests, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(&of_kind(&manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"], labels);
    assert!(names(&container["volumeMounts"]).iter().all(|mount| names(&pod["volumes"]).contains(mount)));
    assert_eq!(container["readinessProbe"]["exec"]["command"], json!(HEALTH));
    let ports: Vec<u64> =
        container["ports"].as_array().unwrap().iter().map(|port| port["containerPort"].as_u64().unwrap()).collect();
    assert_eq!(ports, [7437, 7438]);

    // The settings of both are settings of the program.
    let program = program();
    let file = program.folder().join("cluster.toml");
    let config = of_kind(&manifests, "ConfigMap");
    assert_eq!(pod["volumes"][0]["configMap"]["name"], config["metadata"]["name"]);
    std::fs::write(&file, config["data"]["config.toml"].as_str().unwrap()).unwrap();
    let shown = program.run(&["config", "--config", file.to_str().unwrap()]).await;
    assert!(shown.status.success(), "{}", shown.stderr);
    let [compose] = documents("compose/cluster.yaml").try_into().unwrap();
    let known = shown.stdout.replace('.', "_").to_uppercase();
    let settings = compose["x-settings"].as_object().unwrap().keys().map(String::as_str);
    let of_nodes = container["env"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap());
    for name in settings.chain(of_nodes).filter_map(|name| name.strip_prefix("DWELL_")) {
        assert!(known.contains(name), "{name} is no setting");
    }
    let (services, volumes) = (&compose["services"], compose["volumes"].as_object().unwrap());
    for node in ["one", "two"] {
        assert_eq!(services[node]["environment"]["DWELL_CLUSTER_ADDRESS"], format!("{node}:7438"));
        let volume = services[node]["volumes"][0].as_str().unwrap().split(':').next().unwrap();
        assert!(volumes.contains_key(volume));
    }
    let proxy = &services["caddy"]["networks"]["nodes"]["ipv4_address"];
    assert_eq!(&compose["x-settings"]["DWELL_SERVER_TRUSTED_PROXIES"], proxy, "the nodes know their proxy");
}
